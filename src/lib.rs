//! Makes Kubernetes Jobs work under Argo CD.
//!
//! [`version::rewrite`] does everything in one call: manifests and settings go in, the output and the findings come out. Manifests are read
//! from a directory, a git revision, a stream, or a map of files; with a map or a stream in memory nothing here touches a file system,
//! clock, environment variable, thread or process that has to exist, so that the library also works as WebAssembly.
//!
//! ```
//! use argocd_jobs::argocd::Application;
//! use argocd_jobs::settings::RawLayers;
//! use argocd_jobs::source::Source;
//! use argocd_jobs::version;
//!
//! let job = "apiVersion: batch/v1
//! kind: Job
//! metadata:
//!   name: migrate
//! spec:
//!   template:
//!     spec:
//!       restartPolicy: Never
//!       containers:
//!         - {name: migrate, image: shop:1.4.2}
//! ";
//! let source = Source::files([("job.yaml", job), (".argocd-jobs.yaml", "strategy: hash-name\n")]);
//! let rewritten = version::rewrite(source, &RawLayers::default(), Application::default())?;
//!
//! let text = rewritten.text.expect("the Job can be rewritten");
//! assert!(text.contains("  name: migrate-"), "{text}");
//! assert!(rewritten.findings.iter().any(|finding| finding.rule.id == "immutable-fields"));
//! # Ok::<(), version::Error>(())
//! ```
//!
//! The library interface has no promise of stability yet: only the program, its output and its settings have one.
//!
//! Inside, it is a pipeline of plain functions over values:
//!
//! ```text
//! source ─read→ Manifest ─split→ document ─read→ Tree ─recognize→ Job ─decide→ changes ─edit→ text ─→ Plan ─write→ stdout
//!                                        settings (layers) ─resolve→ Options ──┘
//!
//! Plan ─survey→ Survey (as written, as emitted) ─check→ Findings ─write→ text, JSON, SARIF, GitHub
//!                                                   ─report→ Report ─write→ text, JSON, Markdown
//!                                   two of them ─compare→ Comparison ─┘
//! ```
//!
//! A [`version::Version`] is that pipeline for one set of manifests. The modules below are in the order in which a newcomer reads them,
//! from the ground floor up. A module imports from lower floors only; `tidy` has the table and the test.
//!
//! What holds everywhere:
//!
//! 1. Bytes outside an edit are emitted unchanged. [`output::stream`] adds separators between manifests and nothing else.
//! 2. Edits refer to the original text and are done at once; the result is read again and compared with what was asked for.
//! 3. Nothing below [`source`] reads files, and only [`source::replace()`] writes manifests; only [`process`] starts processes, and looks at the clock to end those that hang. Nothing
//!    in the library reads the environment.
//! 4. Only `yaml/parser.rs` reads with the parser crate.
//! 5. Same input, same bytes, however many threads there are: no map order, no time.
//! 6. What cannot be understood is an error with a place, never a default.
//! 7. Argo CD decides what is right: where its reader and YAML differ, its reader counts.

pub mod system;
pub mod text;
mod semver;
pub mod argocd;
pub mod process;
pub mod threads;
pub mod manifest;
pub mod yaml;
pub mod kubernetes;
pub mod applicationset;
pub mod hash;
pub mod strategy;
pub mod settings;
pub mod plan;
pub mod survey;
pub mod finding;
pub mod preview;
pub mod source;
pub mod output;
pub mod plugin;
pub mod applications;
pub mod folders;
pub mod version;
pub mod golden;

#[cfg(test)]
mod tidy;
