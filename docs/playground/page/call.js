// Calls the program in WebAssembly. The page's worker does it, and so do the tests in Node.

/** The answer of a fresh instance to a request: `{text, isError}`. A bug in the program throws a `WebAssembly.RuntimeError`. */
export function ask(module, request) {
  const { memory, request: room, run, response } = new WebAssembly.Instance(module).exports;
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const start = room(bytes.length);
  if (start === 0) {
    return { text: `The input has ${bytes.length} bytes, which is too much for this page. The program itself reads up to 100 MiB.`, isError: true };
  }
  new Uint8Array(memory.buffer, start, bytes.length).set(bytes);
  const length = run();
  const answer = new TextDecoder().decode(new Uint8Array(memory.buffer, response(), length));
  return JSON.parse(answer);
}
