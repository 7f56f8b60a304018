//! `source: helm` and `source: kustomize` with fake tools: their calls, and the messages when they fail. Most tests
//! need neither helm nor kustomize; interop/ tests the same with the real tools.

mod argv;
mod broken_sets;
mod elsewhere;
mod fake;
mod flags;
mod generate_paths;
mod hostile;
mod left_out;
mod moving;
mod network;
mod originals;
mod parts;
mod places;
mod processes;
mod random;
mod release;
mod revision;
mod several;
mod surroundings;
mod untouched;
mod upgrade;
mod value_sets;
