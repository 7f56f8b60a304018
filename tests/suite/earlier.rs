//! An analysis after another one of the same texts is the same as one alone: of the same manifests with other settings, and of some of
//! them, in another order.

use std::collections::BTreeMap;

use kube_jobs::argocd::Application;
use lint::{Analysis, compared_with};
use rewrite::settings::{ApplicationSettings, Layers, RawLayers, WithPlugin};
use rewrite::version::Version;
use source::Source;

use crate::support::inputs::{self, hold_for_all};

/// Settings of the environment, and whether the plugin is in use.
const SETTINGS: [(&str, &str, WithPlugin); 4] = [
    ("TRIGGER", "false", WithPlugin::Yes),
    ("STRATEGY", "hook", WithPlugin::Yes),
    ("STRATEGY", "hash-name", WithPlugin::Yes),
    ("STRATEGY", "hash-name", WithPlugin::No),
];

/// The largest input, in bytes.
const MAX_INPUT: usize = 5_000;

#[test]
fn what_was_read_before_is_what_is_there() {
    // A large input takes long, and has the same documents many times; and so have neighbouring cases.
    let small = inputs::of_cases().into_iter().filter(|input| input.bytes.len() < MAX_INPUT);
    let small: Vec<_> = small.step_by(40).collect();
    hold_for_all(&small, |input| {
        let Ok(manifests) = Source::stream(input.bytes.clone()).manifests(&ApplicationSettings::default()) else {
            return None;
        };
        let versions = SETTINGS.map(|setting| version(Version::of(manifests.clone()), setting));
        let mut other = versions[0].clone();
        other.manifests.iter_mut().for_each(|manifest| {
            let mut documents: Vec<&str> = manifest.text.split_inclusive("---\n").collect();
            documents.reverse();
            manifest.text = documents.into_iter().chain(["\n---\nkind: A\n"]).collect();
        });
        let all: Vec<&Version> = versions.iter().chain([&other]).collect();
        let differs = |(one, two): (&Version, &Version)| {
            let compared = compared_with(two);
            let earlier = Analysis::among(one, None, compared);
            let (alone, after) = (Analysis::among(two, None, compared), Analysis::after(&earlier, two, None, compared));
            [&alone, &after].into_iter().for_each(|one| one.survey.forget_documents());
            format!("{alone:?}") != format!("{after:?}")
        };
        let mut pairs = all.iter().copied().zip(all.iter().copied().cycle().skip(1));
        pairs.any(differs).then(|| format!("{}: another analysis comes first", input.name))
    });
}

fn version(version: Version, (name, value, with_plugin): (&str, &str, WithPlugin)) -> Version {
    let environment = BTreeMap::from([(format!("ARGOCD_JOBS_{name}"), value.to_owned())]);
    let layers = Layers::read(&RawLayers { environment: &environment, with_plugin, ..RawLayers::default() }).unwrap();
    let application = Application { name: Some("shop".to_owned()), ..Application::default() };
    Version { settings: layers.application(), layers, application, ..version }
}
