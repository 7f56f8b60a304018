//! Makes Kubernetes Jobs work under Argo CD.
//!
//! A pipeline of plain functions over values:
//!
//! ```text
//! source ─read→ Manifest ─split→ document ─read→ Tree ─recognize→ Job ─decide→ changes ─edit→ text ─→ Plan ─write→ stdout
//!                                        settings (layers) ─resolve→ Options ──┘
//!
//! Plan ─read again→ Survey (as written, as it comes out) ─judge→ Findings ─write→ text, JSON, SARIF, GitHub
//!                                                        ─report→ Report ─write→ text, JSON, Markdown
//!                                        two of them ─compare→ Comparison ─┘
//! ```
//!
//! The modules below stand in the order in which a newcomer reads them, from the ground floor up. A module imports from lower
//! floors only; `tidy/` has the table and the test.
//!
//! What holds everywhere:
//!
//! 1. Bytes outside an edit come out as they went in. [`output::stream`] adds separators between manifests and nothing else.
//! 2. Edits refer to the original text and are done at once; the result is read again and compared with what was asked for.
//! 3. Nothing below [`source`] reads files; only [`process`] starts processes, and looks at the clock to end those that hang. Nothing
//!    in the library reads the environment.
//! 4. Only `yaml/parser.rs` knows the parser crate.
//! 5. Same input, same bytes, however many threads there are: no map order, no time.
//! 6. What cannot be understood is an error with a place, never a default.
//! 7. Argo CD decides what is right: where its reader and YAML differ, its reader counts.

pub mod text;
pub mod argocd;
pub mod process;
pub mod manifest;
pub mod yaml;
pub mod kubernetes;
pub mod hash;
pub mod strategy;
pub mod settings;
pub mod plan;
pub mod survey;
pub mod order;
pub mod finding;
pub mod preview;
pub mod source;
pub mod output;
pub mod plugin;
pub mod golden;

#[cfg(test)]
mod tidy;
