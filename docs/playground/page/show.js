// Puts what the program prints into the page: always as text, never as HTML.

/** The most findings that are listed. */
const MOST = 200;

const COLOURS = { 1: "strong", 2: "faint", 31: "error", 32: "good", 33: "warning", 36: "info" };

/** An element with a class and children, which are elements or texts. */
export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** A sentence of the program, with what is between backticks as code. */
function sentence(className, text) {
  return element("p", className, ...text.split("`").map((part, index) => (index % 2 ? element("code", "", part) : part)));
}

/** Text with the colours of a terminal. */
export function coloured(target, text) {
  let ink;
  const parts = text.split(/\x1b\[(\d+)m/).map((part, index) => {
    if (index % 2) ink = COLOURS[part];
    return index % 2 || !part ? "" : ink ? element("span", ink, part) : part;
  });
  target.replaceChildren(...parts);
}

/** The lines of a diff. */
export function diff(target, text) {
  const ink = (line) => (/^(---|\+\+\+) /.test(line) ? "strong" : { "-": "error", "+": "good", "@": "info" }[line[0]]);
  target.replaceChildren(...text.split(/(?<=\n)/).map((line) => element("span", ink(line), line)));
}

/** A message in place of a result. */
export function failed(target, text) {
  target.replaceChildren(element("span", "error", text));
}

/** The list of findings. `go` shows the place of one, and `fix` writes its fix. */
export function findings(target, all, { go, fix }) {
  const items = all.slice(0, MOST).map((finding) => item(finding, go, fix));
  if (all.length > MOST) items.push(element("li", "", `and ${all.length - MOST} more`));
  target.replaceChildren(...items);
}

function item(finding, go, fix) {
  const { id, level, state, by, reason, message, help, line } = finding;
  const link = element("a", "", id);
  link.href = `../findings/${encodeURIComponent(id)}/`;
  const head = element("p", "", element("strong", state === "open" ? level : "faint", state === "open" ? level : state), " ", link);
  if (line) head.append(" ", button(`line ${line}`, `Go to line ${line}`, () => go(finding)));
  const made = element("li", state === "open" ? level : "", head, sentence("", message));
  if (state === "solved") made.append(element("p", "faint", `fixed by the plugin (${by})`));
  else if (state === "ignored") made.append(element("p", "faint", reason ? `ignored: ${reason}` : "ignored"));
  else if (help) made.append(sentence("help", `help: ${help}`));
  const offer = finding.fix;
  if (state === "open" && offer?.edits.length) {
    const unsafe = offer.safety === "safe" ? "" : " (may change what runs)";
    const line = sentence("", ` ${offer.description}${unsafe}`);
    line.prepend(button("Fix", `Fix: ${offer.description}`, () => fix(offer.edits)));
    made.append(line);
  }
  return made;
}

function button(text, label, clicked) {
  const made = element("button", "", text);
  made.type = "button";
  made.setAttribute("aria-label", label);
  made.addEventListener("click", clicked);
  return made;
}

/** How many findings there are: `2 errors, 1 warning`. */
export function summary({ error, warning, info, solved, ignored }) {
  const plural = (count, noun) => (count ? [`${count} ${noun}${count > 1 && noun !== "info" ? "s" : ""}`] : []);
  const open = [...plural(error, "error"), ...plural(warning, "warning"), ...plural(info, "info")].join(", ") || "no open findings";
  return [open, ...(solved ? [`${solved} fixed by the plugin`] : []), ...(ignored ? [`${ignored} ignored`] : [])].join("; ");
}
