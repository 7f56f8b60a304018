//! The generator `clusters` (`applicationset/generators/cluster.go`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::element::{Element, Origin};
use super::names::normalized;
use super::selector::{Selector, Values};
use super::{Cluster, Context, Parameters, Problem};

/// The name of the cluster in which Argo CD runs, when no Secret describes it.
const LOCAL_NAME: &str = "in-cluster";
const LOCAL_SERVER: &str = "https://kubernetes.default.svc";

/// The label by which Argo CD recognises the Secret of a cluster.
const SECRET_TYPE: &str = "argocd.argoproj.io/secret-type";

/// Annotations that are no parameters: the first list since 3.3, the second since 3.6.
const EXCLUDED: [&str; 5] = [
    "argocd.argoproj.io/refresh",
    "argocd.argoproj.io/hydrate",
    "argocd.argoproj.io/tracking-id",
    "argocd.argoproj.io/installation-id",
    "kubectl.kubernetes.io/last-applied-configuration",
];
const EXCLUDED_LATER: [&str; 2] = ["argocd.argoproj.io/refresh-timestamp", "argocd.argoproj.io/hydrate-timestamp"];

/// One element for each Secret that the selector matches, and one for the local cluster.
pub(super) fn elements(spec: &Value, context: &Context<'_>) -> Result<Vec<Element>, Problem> {
    let selector = Selector::read(&spec["selector"], Values::OfLabels).map_err(Problem::Failed)?;
    let found = match context.world.clusters {
        Some(clusters) => known(clusters, &selector, context),
        None => vec![placeholder(context)],
    };
    let origin = if context.world.clusters.is_some() { Origin::Known } else { Origin::Placeholder };
    let mut elements = Vec::new();
    for mut parameters in found {
        context.append_values(spec, &mut parameters)?;
        elements.push(Element { parameters, origin });
    }
    if spec["flatList"].as_bool().unwrap_or_default() {
        let clusters = elements.into_iter().map(|element| Value::Object(element.parameters.into_map())).collect();
        let mut parameters = Parameters::default();
        parameters.insert("clusters".to_owned(), Value::Array(clusters));
        parameters.set_typed("clusters");
        return Ok(vec![Element { parameters, origin }]);
    }
    Ok(elements)
}

fn known(clusters: &[Cluster], selector: &Selector, context: &Context<'_>) -> Vec<Parameters> {
    // When several Secrets have the same cluster name, the last one counts.
    let mut taken: BTreeMap<&str, (&Cluster, BTreeMap<String, String>)> = BTreeMap::new();
    for cluster in clusters {
        let mut labels = cluster.labels.clone();
        labels.insert(SECRET_TYPE.to_owned(), "cluster".to_owned());
        if selector.matches(&labels) {
            taken.insert(&cluster.name, (cluster, labels));
        }
    }
    let is_local = |(cluster, _): &(&Cluster, _)| cluster.server == LOCAL_SERVER;
    let has_local = !selector.is_empty() || taken.values().any(is_local);
    // Up to 3.2 the elements have the order of the Secrets, which is that of a list of clusters; since 3.3 their
    // order is random.
    let is_ordered = context.world.minor < 3;
    let names: Vec<&str> = if is_ordered {
        clusters.iter().map(|one| one.name.as_str()).collect()
    } else {
        taken.keys().copied().collect()
    };
    let secrets = names.into_iter().filter_map(|name| taken.get(name));
    let mut found: Vec<Parameters> = secrets.map(|(cluster, labels)| of_secret(cluster, labels, context)).collect();
    if !has_local {
        let at = if is_ordered { 0 } else { found.len() };
        found.insert(at, basics(LOCAL_NAME, LOCAL_NAME, LOCAL_SERVER, ""));
    }
    found
}

fn basics(name: &str, normalized: &str, server: &str, project: &str) -> Parameters {
    let pairs = [("name", name), ("nameNormalized", normalized), ("server", server), ("project", project)];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect::<Map<_, _>>().into()
}

fn of_secret(cluster: &Cluster, labels: &BTreeMap<String, String>, context: &Context<'_>) -> Parameters {
    let mut parameters = basics(&cluster.name, &normalized(&cluster.name), &cluster.server, &cluster.project);
    let minor = context.world.minor;
    let is_excluded = |key: &str| minor >= 3 && EXCLUDED.contains(&key) || minor >= 6 && EXCLUDED_LATER.contains(&key);
    let map = |pairs: &BTreeMap<String, String>| pairs.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    let mut annotations: Map<String, Value> = map(&cluster.annotations);
    annotations.retain(|key, _| !is_excluded(key));
    let annotations = Some(annotations).filter(|_| !cluster.annotations.is_empty());
    add_metadata(&mut parameters, map(labels), annotations, context.templates.is_go());
    parameters
}

/// Adds labels and annotations: for Go templates as maps, for plain templates as a parameter for each key.
fn add_metadata(
    parameters: &mut Parameters,
    labels: Map<String, Value>,
    annotations: Option<Map<String, Value>>,
    is_go: bool,
) {
    let fields = [("labels", Some(labels)), ("annotations", annotations)];
    let fields = fields.into_iter().filter_map(|(field, map)| Some((field, map?)));
    if is_go {
        let mut metadata = Map::new();
        for (field, map) in fields {
            metadata.insert(field.to_owned(), map.into());
            parameters.set_typed(format!("metadata.{field}"));
        }
        parameters.insert("metadata".to_owned(), metadata.into());
    } else {
        for (field, map) in fields {
            parameters.extend(map.into_iter().map(|(key, value)| (format!("metadata.{field}.{key}"), value)));
        }
    }
}

/// An element that stands for all clusters when they are unknown: the value of each parameter that the set uses is
/// its name in angle brackets.
fn placeholder(context: &Context<'_>) -> Parameters {
    let mut parameters = basics("<name>", "<name>", "<server>", "<project>");
    let [labels, annotations] = ["labels", "annotations"].map(|field| {
        let mut keys = BTreeSet::new();
        collect_keys(context.spec, &format!("metadata.{field}"), &mut keys);
        keys.into_iter().map(|key| (key.clone(), format!("<{key}>").into())).collect()
    });
    add_metadata(&mut parameters, labels, Some(annotations), context.templates.is_go());
    parameters
}

/// Collects the keys of `field` that texts refer to: `metadata.labels.KEY` and `index .metadata.labels "KEY"`.
fn collect_keys(value: &Value, field: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => collect_keys_of_text(text, field, keys),
        Value::Array(items) => items.iter().for_each(|item| collect_keys(item, field, keys)),
        Value::Object(map) => {
            for (key, value) in map {
                collect_keys_of_text(key, field, keys);
                collect_keys(value, field, keys);
            }
        }
        _ => {}
    }
}

fn collect_keys_of_text(text: &str, field: &str, keys: &mut BTreeSet<String>) {
    for rest in text.split(field).skip(1) {
        let quote = |char: char| char == '"' || char == '`';
        let key = match rest.strip_prefix('.') {
            Some(rest) => rest.split(|char: char| char.is_whitespace() || "})|".contains(char)).next(),
            None => rest.trim_start().strip_prefix(quote).and_then(|rest| rest.split(quote).next()),
        };
        keys.extend(key.filter(|key| !key.is_empty()).map(str::to_owned));
    }
}
