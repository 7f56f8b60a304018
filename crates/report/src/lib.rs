#![doc = include_str!("../README.md")]

pub mod adopt;
pub mod check;
pub mod explain;
mod grouped;
mod json;
pub mod plugin;
pub mod markdown;
pub mod paint;
pub mod plugin_effect;
pub mod preview;
pub mod show;
pub mod sources;
pub mod table;
