//! `source: helm` and `source: kustomize` with fake tools: what they are called with, and what is said when they fail. Needs neither
//! helm nor kustomize; with the real tools the same is shown in interop/.

mod argv;
mod fake;
mod hostile;
mod moving;
mod processes;
mod surroundings;
