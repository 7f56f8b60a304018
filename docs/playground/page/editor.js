// The editor: CodeMirror, in a shadow root, because there its styles are allowed by a policy without inline styles.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.comment, tags.meta, tags.separator, tags.punctuation], color: "var(--faint)" },
  { tag: [tags.keyword, tags.labelName, tags.typeName], color: "var(--info)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--code)", fontSize: "0.8125rem", borderRadius: "0.4rem" },
  "&.cm-focused": { outline: "2px solid var(--link)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: "var(--least)", maxHeight: "var(--most)", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--code)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--active)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected)" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--page)", border: "1px solid var(--line)", maxWidth: "min(40rem, 85vw)" },
  ".cm-diagnosticText": { whiteSpace: "pre-wrap" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--page)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { color: "var(--text)", backgroundColor: "var(--active)" },
});

/** An editor in `host`; `changed` is called after each change that is not made by the page. */
export function editor(host, label, changed) {
  const root = host.attachShadow({ mode: "open" });
  const isTyped = (transaction) => transaction.docChanged && transaction.annotation(Transaction.userEvent) !== "page";
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        yaml(),
        syntaxHighlighting(colours),
        lintGutter(),
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        // It can have the focus without the index, but axe-core wants to see one in what scrolls.
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => update.transactions.some(isTyped) && changed()),
        look,
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: Transaction.userEvent.of("page") });
    },
    /** Marks findings at their places. */
    mark(findings) {
      const diagnostics = findings.map((finding) => ({ ...span(view.state.doc, finding), severity: finding.level, message: message(finding) }));
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    /** Moves the cursor to the place of a finding. */
    show(finding) {
      const { from, to } = span(view.state.doc, finding);
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
    /** Writes the edits of a fix. */
    edit(edits) {
      const changes = edits.map(({ line, column, endLine, endColumn, text }) => ({
        from: offset(view.state.doc, line, column),
        to: offset(view.state.doc, endLine, endColumn),
        insert: text,
      }));
      view.dispatch({ changes, userEvent: "input.fix" });
      view.focus();
    },
  };
}

const message = ({ id, message, help }) => `${message} [${id}]${help ? `\n${help}` : ""}`;

/** The program counts characters, and the editor counts units of UTF-16. */
function offset(doc, number, column) {
  if (number > doc.lines) return doc.length;
  const line = doc.line(number);
  const before = [...line.text.slice(0, 2 * column)].slice(0, column - 1).join("");
  return Math.min(line.from + before.length, line.to);
}

function span(doc, { line, column, endColumn }) {
  const from = offset(doc, line, column);
  return { from, to: Math.max(from, offset(doc, line, endColumn ?? column)) };
}
