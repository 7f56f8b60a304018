//! `source: helm` and `source: kustomize` with fake tools: what they are called with, and what is said when they fail. Needs neither
//! helm nor kustomize; with the real tools the same is shown in interop/.

mod argv;
mod elsewhere;
mod fake;
mod flags;
mod hostile;
mod moving;
mod network;
mod places;
mod processes;
mod random;
mod revision;
mod several;
mod surroundings;
mod untouched;
