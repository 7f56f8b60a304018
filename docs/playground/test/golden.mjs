// Asks the program in WebAssembly what the golden cases ask, and compares the bytes. The cases come from `cargo run -p playground --example cases`.
//
//     node golden.mjs PLAYGROUND.WASM <CASES
import { readFileSync } from "node:fs";
import { ask } from "../page/call.js";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const lines = readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const { leftOut } = lines.pop();
let wrong = 0;
for (const { name, request, expected } of lines) {
  let got;
  try {
    got = ask(module, request);
  } catch (error) {
    got = { text: String(error), isError: true };
  }
  if (got.text === expected.text && got.isError === expected.isError) continue;
  wrong += 1;
  console.log(`${name} differs\n  expected ${JSON.stringify(expected)}\n  got      ${JSON.stringify(got)}`);
}
console.log(`${lines.length} golden cases in WebAssembly, ${wrong} differ; not compared:`);
for (const [why, count] of Object.entries(leftOut)) console.log(`  ${count} ${why}`);
process.exit(wrong || lines.length < 500 ? 1 : 0);
