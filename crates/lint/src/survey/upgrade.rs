//! The objects that a chart prints for an upgrade of its release.

use std::sync::Arc;

use goyaml::{Tree, split};
use rewrite::manifest::{FixedValue, TemplateRead};
use text::Place;

use super::read::read_objects;
use super::{Compared, ObjectState, Survey};

/// An object that a chart prints for an upgrade.
#[derive(Clone, Debug)]
pub struct Upgraded {
    /// The index of the manifest that the chart prints for Argo CD.
    pub manifest: usize,
    /// The offset of its document in what the chart prints for an upgrade.
    start: usize,
    /// The object.
    pub state: Arc<ObjectState>,
}

impl Survey<'_> {
    /// The objects of the charts that print something else for an upgrade. Documents that cannot be read are left out.
    pub fn upgraded(&self) -> &[Upgraded] {
        self.upgraded.get_or_init(|| self.read_upgraded())
    }

    fn read_upgraded(&self) -> Vec<Upgraded> {
        let of_manifest = |(manifest, text): (usize, &str)| -> Vec<Upgraded> {
            let pieces = split::split(text);
            let spans = (0..pieces.len()).map(|index| pieces.span(index));
            let of_piece = spans.flat_map(|span| {
                let objects = read_objects(&mut Tree::default(), span.of(text), Compared::No, &[]);
                objects.into_iter().map(move |(_, state)| Upgraded { manifest, start: span.start, state })
            });
            of_piece.collect()
        };
        let printed = self.manifests.iter().enumerate();
        let printed = printed.filter_map(|(index, manifest)| Some((index, manifest.upgrade()?.text.as_str())));
        printed.flat_map(of_manifest).collect()
    }

    /// The read of this value in the template of an object. None if it does not read it, and for an object that no chart prints.
    pub fn template_read(&self, object: usize, value: FixedValue) -> Option<&TemplateRead> {
        let address = self.objects[object].address?;
        self.manifests[address.manifest].template_read(address.piece, value)
    }

    /// The place of the object in the files of the chart.
    pub fn place_of_upgraded(&self, object: &Upgraded) -> Option<Place> {
        let upgrade = self.manifests[object.manifest].upgrade()?;
        let kind = upgrade.text[object.start..].find("\nkind:").map_or(object.start, |at| object.start + at + 1);
        Some(upgrade.place(kind))
    }
}
