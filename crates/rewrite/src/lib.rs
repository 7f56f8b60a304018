//! The plugin.

pub mod hash;
pub mod manifest;
pub mod plan;
pub mod settings;
pub mod strategy;
pub mod stream;
pub mod version;
