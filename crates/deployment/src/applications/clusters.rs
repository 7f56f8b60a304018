//! Finds the clusters that Argo CD knows: in a file that the user names, or in the Secrets of a checkout.

use std::collections::BTreeMap;
use std::path::Path;

use applicationset::Cluster;
use checkout::small_file_in;
use goyaml::Value;
use goyaml::json::{self, Form};
use serde_json::Value as Json;

/// The server of the cluster in which Argo CD runs (`KubernetesInternalAPIServerAddr` in
/// `pkg/apis/application/v1alpha1/types.go`).
const LOCAL: &str = "https://kubernetes.default.svc";

/// The label that marks the Secret of a cluster (`LabelKeySecretType` in `common/common.go`).
const LABEL: &str = "argocd.argoproj.io/secret-type";

/// The maximum size of a file that is searched for Secrets, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The clusters that Secrets in the files of a checkout describe, without duplicates. Skips files with templates and
/// Secrets with encrypted values.
pub(super) fn in_files(root: &Path, files: &[String]) -> Vec<Cluster> {
    let is_manifest = |path: &&String| [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end));
    let mut found: Vec<Cluster> = Vec::new();
    for path in files.iter().filter(is_manifest) {
        let text = small_file_in(root, Path::new(path), MAX_FILE).ok().flatten().unwrap_or_default();
        if !goyaml::may_contain(&text, LABEL) || text.contains("{{") {
            continue;
        }
        let is_readable = |text: &str| !text.is_empty() && !text.starts_with("ENC[");
        for cluster in clusters(&text).unwrap_or_default() {
            if is_readable(&cluster.name) && is_readable(&cluster.server) && !found.contains(&cluster) {
                found.push(cluster);
            }
        }
    }
    found
}

/// Parses the clusters in a text: Secrets with the label `argocd.argoproj.io/secret-type: cluster`, or the output of
/// `argocd cluster list -o json`. Keeps only the fields that generators see, never credentials. The error is a
/// message without a place.
pub fn clusters(text: &str) -> Result<Vec<Cluster>, String> {
    if let Ok(Json::Array(list)) = serde_json::from_str(text) {
        // The list contains Argo CD's own cluster even when it has no Secret; the generator adds that cluster by
        // itself.
        let has_secret = |cluster: &&Json| cluster["server"] != LOCAL || cluster["labels"].is_object();
        return Ok(list.iter().filter(has_secret).map(of_list).collect());
    }
    let mut found = Vec::new();
    let pieces = goyaml::split::split(text);
    for span in (0..pieces.len()).map(|index| pieces.span(index)) {
        let value = Value::read(span.of(text)).map_err(|error| error.message)?;
        let json = to_json(&value)?;
        let items = json["items"].as_array().cloned().unwrap_or_else(|| vec![json]);
        found.extend(items.iter().filter_map(of_secret));
    }
    match pieces.error {
        Some(error) => Err(error.message),
        None => Ok(found),
    }
}

/// Converts a YAML value to JSON. The error is a message without a place.
pub(super) fn to_json(value: &Value) -> Result<Json, String> {
    serde_json::from_str(&json::print(value, Form::Stream)).map_err(|error| error.to_string())
}

fn of_list(cluster: &Json) -> Cluster {
    let text = |key: &str| cluster[key].as_str().unwrap_or_default().to_owned();
    Cluster {
        name: text("name"),
        server: text("server"),
        project: text("project"),
        labels: map(&cluster["labels"]),
        annotations: map(&cluster["annotations"]),
    }
}

/// The cluster that a Secret describes; `None` for any other object.
fn of_secret(secret: &Json) -> Option<Cluster> {
    let labels = map(&secret["metadata"]["labels"]);
    if secret["kind"] != "Secret" || labels.get(LABEL).is_none_or(|kind| kind != "cluster") {
        return None;
    }
    let decoded = |key: &str| {
        use base64::Engine;
        let bytes = base64::engine::general_purpose::STANDARD.decode(secret["data"][key].as_str()?).ok()?;
        String::from_utf8(bytes).ok()
    };
    let text = |key: &str| {
        secret["stringData"][key].as_str().map(ToOwned::to_owned).or_else(|| decoded(key)).unwrap_or_default()
    };
    Some(Cluster {
        name: text("name"),
        server: text("server"),
        project: text("project"),
        labels,
        annotations: map(&secret["metadata"]["annotations"]),
    })
}

fn map(value: &Json) -> BTreeMap<String, String> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}
