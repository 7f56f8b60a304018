// The input in the fragment of a link, which a browser does not send: JSON, deflated, in base64url.

/** The most characters of a fragment, and the most bytes of what is in it. */
const MAX_FRAGMENT = 1 << 18;
const MAX_BYTES = 1 << 20;

/** The most characters that every program passes on. */
export const LONG = 8000;

export async function encode(state) {
  const deflated = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  const fragment = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (fragment.length > MAX_FRAGMENT) throw new Error("The input is too large for a link.");
  return fragment;
}

/** What is in a fragment. Throws a message for people if it is broken. */
export async function decode(fragment) {
  if (fragment.length > MAX_FRAGMENT) throw new Error("The link is too long.");
  let state;
  try {
    const letters = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const text = await limited(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
    state = text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw new Error("The link is broken: a part of it is missing or changed.");
  }
  if (state === undefined) throw new Error("There is too much in the link.");
  const { manifest, before, version, plugin } = state ?? {};
  if ([manifest, before, version, plugin].some((value) => typeof value !== "string")) {
    throw new Error("The link is broken: it has no input of this page.");
  }
  return { manifest, before, version, plugin };
}

/** The text of a stream, or nothing if it is too long; what is beyond the limit is not unpacked. */
async function limited(stream) {
  const reader = stream.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).text();
    size += value.length;
    if (size > MAX_BYTES) {
      // Nobody waits for what is left of it.
      reader.cancel().catch(() => {});
      return undefined;
    }
    parts.push(value);
  }
}
