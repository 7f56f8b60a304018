//! Fetches a chart with `helm pull`, as Argo CD does (`util/helm/client.go`).

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use checkout::{files, read_named};
use goyaml::Value;
use goyaml::json::{self, Form};
use system::PathText;
use text::Message;

use crate::helm::{self, MAX_CONFIG};
use crate::remote::runner::{Call, Runner, unusable};
use crate::remote::unpack::MAX_BYTES;

/// The packaged chart.
pub(super) fn fetch(runner: &Runner<'_>, repository: &str, name: &str, version: &str) -> Result<Vec<u8>, Message> {
    for word in [name, version] {
        if word.starts_with('-') || word.chars().any(|char| char.is_control()) {
            return Err(Message::new("its name or version is not valid"));
        }
    }
    let to = runner.folder("charts")?;
    let config = runner.folder("config")?;
    let is_http = ["https://", "http://"].iter().any(|scheme| repository.starts_with(scheme));
    let mut used = Vec::new();
    let mut pull: Vec<OsString> = vec!["pull".into()];
    if is_http {
        match known(runner, repository)? {
            Some((entry, files)) => {
                used = files;
                fs::write(config.join("repositories.yaml"), entry).map_err(unusable)?;
                runner.output(call(runner, vec!["repo".into(), "update".into()], used.clone())?)?;
                pull.push(format!("{NAME}/{name}").into());
            }
            None => pull.extend([name.into(), format!("--repo={repository}").into()]),
        }
    } else {
        // Argo CD writes the URL of a registry without its scheme.
        let registry = repository.strip_prefix("oci://").unwrap_or(repository).trim_end_matches('/');
        if registry.contains("://") || registry.starts_with(['/', '.', '-']) {
            return Err(Message::new("only `https://`, `http://` and `oci://` are fetched"));
        }
        if let Some(path) = registry_config(runner) {
            let text = read_named(&path, MAX_CONFIG).map_err(|error| unreadable(&path, &error))?;
            fs::create_dir_all(config.join("registry")).map_err(unusable)?;
            fs::write(config.join("registry/config.json"), text).map_err(unusable)?;
        }
        pull.push(format!("oci://{registry}/{name}").into());
    }
    if !version.is_empty() {
        pull.push(format!("--version={version}").into());
    }
    pull.extend(["--destination".into(), to.clone().into()]);
    runner.output(call(runner, pull, used)?)?;
    let packaged = fs::read_dir(&to).map_err(unusable)?.filter_map(|entry| Some(entry.ok()?.path()));
    let packaged: Vec<PathBuf> = packaged.filter(|path| path.extension().is_some_and(|end| end == "tgz")).collect();
    let [path] = packaged.as_slice() else { return Err(Message::new("`helm pull` wrote no chart")) };
    let bytes = files::read(path, MAX_BYTES).map_err(unusable)?;
    bytes.ok_or_else(|| Message::new(format!("the chart is larger than {} MiB", MAX_BYTES >> 20)))
}

/// The name of the repository in a config with one entry.
const NAME: &str = "r";

/// A call of helm.
fn call(runner: &Runner<'_>, arguments: Vec<OsString>, used: Vec<PathBuf>) -> Result<Call, Message> {
    let (config, cache) = (runner.folder("config")?, runner.folder("cache")?);
    let environment = [
        ("HELM_CONFIG_HOME", config.clone()),
        ("XDG_CONFIG_HOME", config.clone()),
        ("HELM_REPOSITORY_CONFIG", config.join("repositories.yaml")),
        ("HELM_REGISTRY_CONFIG", config.join("registry/config.json")),
        ("HELM_CACHE_HOME", cache.clone()),
        ("HELM_REPOSITORY_CACHE", cache.join("repository")),
        ("HELM_DATA_HOME", runner.folder("data")?),
        ("HELM_PLUGINS", runner.folder("none")?),
    ];
    let mut environment: Vec<_> = environment.into_iter().map(|(name, path)| (name, path.into_os_string())).collect();
    environment.push(("HELM_NO_PLUGINS", "1".into()));
    Ok(Call { program: "helm", arguments, environment, used })
}

/// A config with the user's entry for this URL, and the files with certificates that it names; none if the user has not added it.
fn known(runner: &Runner<'_>, url: &str) -> Result<Option<(String, Vec<PathBuf>)>, Message> {
    let Some(path) = config_file(runner, "HELM_REPOSITORY_CONFIG", "repositories.yaml") else { return Ok(None) };
    let text = read_named(&path, MAX_CONFIG).map_err(|error| unreadable(&path, &error))?;
    let config = Value::read(&text).map_err(|error| unreadable(&path, &std::io::Error::other(error.message)))?;
    let entries = config.items_at(&["repositories"]);
    let is_it = |entry: &&Value| {
        entry.text_at(&["url"]).is_some_and(|known| known.trim_end_matches('/') == url.trim_end_matches('/'))
    };
    let Some(Value::Map(entry)) = entries.iter().find(is_it) else { return Ok(None) };
    let mut entry = entry.clone();
    entry.insert("name".into(), Value::String(NAME.into()));
    let entry = Value::Map(entry);
    let files = helm::certificates_of(&entry).collect();
    // JSON is YAML.
    let text = format!("{{\"apiVersion\": \"\", \"repositories\": [{}]}}", json::print(&entry, Form::Stream));
    Ok(Some((text, files)))
}

fn registry_config(runner: &Runner<'_>) -> Option<PathBuf> {
    config_file(runner, "HELM_REGISTRY_CONFIG", "registry/config.json")
}

/// The user's config file of helm, if there is one (`pkg/helmpath`).
fn config_file(runner: &Runner<'_>, variable: &str, name: &str) -> Option<PathBuf> {
    let of = |name: &str| runner.variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || of("HELM_CONFIG_HOME").or_else(|| Some(of("XDG_CONFIG_HOME")?.join("helm")));
    let home = || home().or_else(|| Some(of("HOME")?.join(".config/helm")));
    of(variable).or_else(|| Some(home()?.join(name))).filter(|path| path.is_file())
}

fn unreadable(path: &std::path::Path, error: &std::io::Error) -> Message {
    Message::new(format!("`{}` cannot be read: {error}", path.shown()))
}
