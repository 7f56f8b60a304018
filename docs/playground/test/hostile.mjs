// Input that nobody types: a link that unpacks to far more than it is, and a program that does not end.
import { execFileSync } from "node:child_process";
import { deflateRawSync } from "node:zlib";

/** A fragment with this text. */
export const bomb = (text) => deflateRawSync(text).toString("base64url");

const uleb = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...uleb(number >>> 7)]);
const counted = (bytes) => [...uleb(bytes.length), ...bytes];
const name = (text) => counted([...Buffer.from(text)]);
const section = (id, ...items) => [id, ...counted([...uleb(items.length), ...items.flat()])];
const code = (...body) => counted([0, ...body, 0x0b]);

/** A program that says what can be chosen, and then never answers; packed like the real one. */
export function endless() {
  const answer = JSON.stringify({ text: JSON.stringify({ versions: ["3.6"], strategies: ["auto"] }), isError: false });
  const wasm = [
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // (param i32) (result i32), and (result i32)
    section(1, [0x60, 1, 0x7f, 1, 0x7f], [0x60, 0, 1, 0x7f]),
    section(3, [0], [1], [1]),
    section(5, [0, 1]),
    // The length of the request.
    section(6, [0x7f, 1, 0x41, 0, 0x0b]),
    section(7, [...name("memory"), 2, 0], [...name("request"), 0, 0], [...name("run"), 0, 1], [...name("response"), 0, 2]),
    section(
      10,
      code(0x20, 0, 0x24, 0, 0x41, 0x80, 0x08),
      // if (length > 63) for (;;); return the length of the answer, in two bytes
      code(0x23, 0, 0x41, 0x3f, 0x4b, 0x04, 0x40, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b, 0x41, (answer.length & 127) | 128, answer.length >> 7),
      code(0x41, 0),
    ),
    section(11, [0, 0x41, 0, 0x0b, ...name(answer)]),
  ];
  return execFileSync("zstd", ["-q", "-c"], { input: Buffer.from(wasm.flat()) }).toString("base64");
}
