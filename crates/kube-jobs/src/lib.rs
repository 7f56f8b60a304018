#![doc = include_str!("../README.md")]

pub mod argocd;
pub mod kubernetes;
