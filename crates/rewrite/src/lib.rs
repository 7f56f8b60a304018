#![doc = include_str!("../README.md")]
//!
//! The way of a manifest. This crate makes the upper part, from [`manifest::Manifest`] to [`plan::Plan`]: [`stream`] writes it.
//! The crates `lint`, `preview` and `report` make the lower part. What holds everywhere is in CONTRIBUTING.md, "The laws".
//!
//! ```text
//! source ─read→ Manifest ─split→ document ─read→ Tree ─recognize→ Job ─decide→ changes ─edit→ text ─→ Plan ─write→ stdout
//!                                        settings (layers) ─resolve→ Options ──┘
//!
//! Plan ─survey→ Survey (as written, as emitted) ─check→ Findings ─write→ text, JSON, SARIF, GitHub
//!                                                   ─report→ Report ─write→ text, JSON, Markdown
//!                                   two of them ─compare→ Comparison ─┘
//! ```

pub mod hash;
pub mod manifest;
pub mod plan;
pub mod settings;
pub mod strategy;
pub mod stream;
pub mod version;
