// The worker: typing never waits for the program.
import { ask } from "./call.js";

let program;

self.onmessage = ({ data: { module, requests } }) => {
  program = module ?? program;
  if (!requests) return;
  try {
    self.postMessage({ answers: requests.map((request) => ask(program, request)) });
  } catch (error) {
    self.postMessage({ failure: `The program failed (${error.message}). This is a bug in argocd-jobs: please report it, with the manifests if you can share them.` });
  }
};
