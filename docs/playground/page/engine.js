// The program in its worker, with a time limit. Of several questions only the last one is answered.
import { decompress } from "fzstd";
import source from "worker";

/** The most milliseconds for an answer. */
const LIMIT = 5000;

// The text of the worker is a part of this page, so that it has the policy of the page, and that a new one needs no request.
const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => url });
const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));

/** The program, from zstd in base64. */
export async function load(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Engine(await WebAssembly.compile(decompress(bytes)));
}

export class Engine {
  #module;
  #worker;
  #busy;
  #next;

  constructor(module) {
    this.#module = module;
    this.#start();
  }

  #start() {
    this.#worker?.terminate();
    this.#worker = new Worker(policy ? policy.createScriptURL(address) : address);
    this.#worker.postMessage({ module: this.#module });
    this.#worker.onmessage = ({ data }) => this.#end(data);
    this.#worker.onerror = () => this.#fail("The worker of this page failed.");
  }

  /** Asks; `told` gets `{answers}` or `{failure}`, unless there is a newer question by then. */
  ask(requests, told) {
    this.#next = { requests, told };
    if (!this.#busy) this.#go();
  }

  #go() {
    const { requests, told } = this.#next;
    this.#next = undefined;
    const timer = setTimeout(() => this.#fail(`Stopped after ${LIMIT / 1000} seconds: this input takes too long for this page.`), LIMIT);
    this.#busy = { told, timer };
    this.#worker.postMessage({ requests });
  }

  #fail(failure) {
    this.#start();
    this.#end({ failure });
  }

  #end(data) {
    if (!this.#busy) return;
    const { told, timer } = this.#busy;
    clearTimeout(timer);
    this.#busy = undefined;
    if (this.#next) this.#go();
    else told(data);
  }
}
