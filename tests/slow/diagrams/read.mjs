// Reads a list of Mermaid diagrams, JSON, from standard input, and prints what Mermaid makes of each: its nodes, the headings of its frames, and
// how many arrows it has.
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('');
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import('mermaid');

// Mermaid's own characters for `&#`, `&` and `;` (`encodeEntities`).
const decoded = (text) => {
  const html = text.replace(/ﬂ°°/g, '&#').replace(/ﬂ°/g, '&').replace(/¶ß/g, ';');
  const paragraph = window.document.createElement('p');
  paragraph.innerHTML = html;
  return paragraph.innerHTML.split('<br>').map((line) => Object.assign(window.document.createElement('p'), { innerHTML: line }).textContent);
};

const read = [];
for (const text of JSON.parse(readFileSync(0, 'utf8'))) {
  mermaid.initialize({ securityLevel: 'strict' });
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  read.push({
    nodes: [...db.getVertices().values()].map((node) => ({ lines: decoded(node.text ?? ''), classes: node.classes })),
    frames: db.getSubGraphs().map((frame) => decoded(frame.title)[0]),
    arrows: db.getEdges().length,
  });
}
console.log(JSON.stringify(read));
