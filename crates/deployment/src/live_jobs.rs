//! Reads a file with the Jobs of a cluster.

use std::io;
use std::path::Path;

use anyhow::{Result, anyhow};
use preview::Cluster;
use rewrite::manifest::{Manifest, Reader};
use rewrite::settings::ApplicationSettings;
use source::{Input, MAX_TOTAL_BYTES, Source, Surroundings};
use text::Origin;

use crate::errors::unreadable;

/// The Jobs in the file; `-` is standard input.
pub fn read(file: &str) -> Result<Cluster> {
    Cluster::read(&text(file)?).map_err(|message| anyhow!(message))
}

/// The text of the file, which is read as a stream whatever it is called.
fn text(file: &str) -> Result<Manifest> {
    if file == "-" {
        let source = Source::open(Input::Stream(Box::new(io::stdin())), &Surroundings::default())?;
        let mut manifests = source.manifests(&ApplicationSettings::default())?;
        return manifests.pop().ok_or_else(|| anyhow!("no input"));
    }
    let text = checkout::read_named(Path::new(file), MAX_TOTAL_BYTES);
    let text = text.map_err(|error| unreadable(Path::new(file), &error))?;
    Ok(Manifest::new(Origin::File(Path::new(file).into()), text, Reader::Stream))
}
