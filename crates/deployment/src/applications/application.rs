//! Reads the manifest of an Application: the settings that all its sources share, and its list of sources.

use std::cell::OnceCell;
use std::sync::Arc;

use goyaml::value::{List, Map};
use goyaml::{Node, Path, SyntaxError, Value, path};
use kube_jobs::argocd::{self, Arrival, Automated, GeneratePaths, IgnoredDifferences, Retry, SyncPolicy};
use kube_jobs::kubernetes::dns;
use rewrite::settings::{TypeError, Unknown, typed};
use text::{Place, without_passwords};

use super::schema::APPLICATION;
use super::source::{self, Reading, Siblings};
use super::{Checkout, ChosenBy, Declaration, Declared, Removal, Skipped, SkippedBecause, references};

/// An Application in a document of a file.
pub(super) struct Found<'f> {
    pub(super) node: Node<'f>,
    /// Converts the offset of a byte in the document to a place.
    pub(super) place: &'f dyn Fn(usize) -> Place,
}

/// Reads an Application, and adds each of its sources to the declared or to the skipped ones.
pub(super) fn read(found: &Found<'_>, checkout: &Checkout, declared: &mut Declared) {
    let place = |node: Node<'_>| (found.place)(node.span().start);
    let name = found.node.text_at(&["metadata", "name"]).unwrap_or_default().to_owned();
    let declaration = OnceCell::new();
    let skipped = |place, why| {
        let declaration = declaration.get_or_init(|| Arc::new(Declaration::of(found.node, checkout)));
        let declaration = Some(Arc::clone(declaration));
        Skipped { place, name: name.clone(), why, declaration, removal: removal(found.node), set: None }
    };
    let spec = match spec(found.node) {
        Ok(spec) => spec,
        Err(Refused::Syntax(error)) => {
            let why = SkippedBecause::Broken(error.message);
            return declared.skipped.push(skipped((found.place)(error.offset), why));
        }
        Err(Refused::Type(error)) => {
            let at = found.node.follow(&error.path).0;
            return declared.skipped.push(skipped(place(at), SkippedBecause::Broken(error.text())));
        }
    };
    if let Some(fault) = name_fault(&name) {
        let at = found.node.at(&["metadata", "name"]).unwrap_or(found.node);
        return declared.skipped.push(skipped(place(at), fault));
    }
    let application = application(&spec, &name, checkout.argocd_namespace.as_deref());
    let annotation = generate_paths(&spec);
    let (at, sources) = sources(spec);
    let is_list = at == path!["spec", "sources"];
    let node = found.node.follow(&at).0;
    let nodes: Vec<Node<'_>> = if is_list { node.items().map(Node::target).collect() } else { Vec::new() };
    let referable = match references::referable(&sources) {
        Ok(referable) => referable,
        Err(why) => return declared.skipped.push(skipped(place(node), SkippedBecause::Broken(why))),
    };
    if sources.is_empty() {
        return declared.skipped.push(skipped(place(found.node), SkippedBecause::NoSource));
    }
    let siblings = Arc::new(Siblings { referable: is_list.then_some(referable), checkout: checkout.clone() });
    let reading = Reading { application: &application, checkout, siblings: &siblings };
    let at = found.node.at(&["metadata", "annotations", argocd::MANIFEST_GENERATE_PATHS]).map(place);
    let generate_paths = annotation.map(|text| GeneratePaths { at, ..GeneratePaths::of(&text, &sources) });
    let of = sources.len();
    for (index, value) in sources.into_iter().enumerate() {
        let place = place(nodes.get(index).copied().unwrap_or(found.node));
        match source::read(value, &reading, place.clone()) {
            Ok(Some(mut source)) => {
                source.of = of;
                source.removal = removal(found.node);
                source.generate_paths = generate_paths.clone().map(|paths| GeneratePaths { own: index, ..paths });
                source.chosen_by = ChosenBy::of(found.node);
                if checkout.repository_urls.is_empty() && source.elsewhere.is_none() {
                    let url = source.application.repo_url.as_deref().unwrap_or_default();
                    declared.assumed.insert(without_passwords(url).into_owned());
                }
                declared.sources.push(source);
            }
            Ok(None) => {}
            Err(why) => declared.skipped.push(skipped(place, why)),
        }
    }
}

/// The annotation that says which commits are rendered. None for a source hydrator, which renders by its own rules.
fn generate_paths(application: &Value) -> Option<String> {
    let is_hydrated = application.at(&["spec", "sourceHydrator"]).is_some();
    let annotation = application.text_at(&["metadata", "annotations", argocd::MANIFEST_GENERATE_PATHS]);
    annotation.filter(|_| !is_hydrated).map(ToOwned::to_owned)
}

fn removal(application: Node<'_>) -> Removal {
    let finalizers = application.at(&["metadata", "finalizers"]);
    let mut finalizers = finalizers.into_iter().flat_map(Node::items).filter_map(|item| item.target().as_text());
    let options = application.text_at(&["metadata", "annotations", argocd::SYNC_OPTIONS]).unwrap_or_default();
    Removal {
        with_resources: finalizers.any(|name| argocd::RESOURCES_FINALIZERS.contains(&name)),
        is_kept: argocd::comma_list(options).contains(&"Prune=false"),
    }
}

/// Why the API server refuses the manifest.
enum Refused {
    Syntax(SyntaxError),
    Type(TypeError),
}

/// `metadata` and `spec` with the types of Argo CD's API; other fields are not decoded.
fn spec(node: Node<'_>) -> Result<Value, Refused> {
    let mut parts = Map::default();
    for key in ["metadata", "spec"] {
        if let Some(part) = node.get(key) {
            parts.insert(key.into(), part.value().map_err(Refused::Syntax)?);
        }
    }
    typed(Value::Map(parts), &APPLICATION, Unknown::Dropped).map_err(Refused::Type)
}

/// Returns why Argo CD cannot have an Application of this name; `None` for a valid name.
fn name_fault(name: &str) -> Option<SkippedBecause> {
    if name.is_empty() {
        return Some(SkippedBecause::Broken("it has no `metadata.name`".to_owned()));
    }
    let fault = "`metadata.name` is not a valid name: at most 253 characters of a-z, 0-9, `-` and `.`";
    dns::subdomain(name).is_err().then_some(SkippedBecause::InvalidName(fault))
}

/// The part of the plugin's environment that all sources share.
fn application(spec: &Value, name: &str, argocd_namespace: Option<&str>) -> argocd::Application {
    let text = |path: &[&str]| spec.text_at(path).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
    // Argo CD adds the namespace to the name outside of its own namespace (`InstanceName` in
    // `pkg/apis/application/v1alpha1/types.go`).
    let foreign = text(&["metadata", "namespace"]).filter(|own| argocd_namespace.is_some_and(|argocd| argocd != own));
    // For a hydrated source, Argo CD sends no information about the cluster (`sendRuntimeState` in
    // `controller/state.go`).
    let is_hydrated = spec.at(&["spec", "sourceHydrator"]).is_some();
    argocd::Application {
        name: Some(foreign.map_or_else(|| name.to_owned(), |own| format!("{own}_{name}"))),
        namespace: text(&["spec", "destination", "namespace"]).filter(|_| !is_hydrated),
        project: Some(text(&["spec", "project"]).unwrap_or_else(|| "default".to_owned())),
        sync: Some(Arc::new(sync_policy(spec))),
        has_several_sources: !is_hydrated && !spec.items_at(&["spec", "sources"]).is_empty(),
        ..argocd::Application::default()
    }
}

fn sync_policy(spec: &Value) -> SyncPolicy {
    let policy = ["spec", "syncPolicy"];
    let automated = spec.at(&policy).and_then(|policy| policy.at(&["automated"]));
    let is_on = |key: &str, default| match automated.and_then(|automated| automated.at(&[key])) {
        Some(Value::Bool(found)) => *found,
        _ => default,
    };
    let automated = automated.filter(|_| is_on("enabled", true)).map(|_| Automated {
        prune: is_on("prune", false),
        self_heal: is_on("selfHeal", false),
        allow_empty: is_on("allowEmpty", false),
    });
    let retry = match spec.at(&policy).and_then(|policy| policy.at(&["retry"])) {
        Some(retry @ Value::Map(_)) => retry_of(retry),
        _ => automated.and_then(|_| Retry::by_default()),
    };
    SyncPolicy {
        automated,
        retry,
        arrival: Arrival::default(),
        uncovered: None,
        windows: None,
        options: spec.texts_at(&["spec", "syncPolicy", "syncOptions"]),
        server_side_diff: server_side_diff(spec),
        ignored: ignored_differences(spec),
    }
}

/// What `spec.syncPolicy.retry` says. None if Argo CD cannot read it, which then does not sync.
fn retry_of(retry: &Value) -> Option<Retry> {
    let number = |path: &[&str], default| retry.at(path).map_or(Some(default), Value::as_number);
    let seconds = |key, default| match retry.text_at(&["backoff", key]) {
        None | Some("") => Some(default),
        Some(text) => text.parse().ok().or_else(|| argocd::go_duration(text)),
    };
    let (duration, factor, longest) = Retry::PAUSES;
    let pauses = (
        seconds("duration", duration)?,
        number(&["backoff", "factor"], factor as i64)? as f64,
        seconds("maxDuration", longest)?,
    );
    Retry::new(number(&["limit"], 0)?, retry.is_true_at(&["refresh"]), pauses)
}

/// Whether the Application turns server-side diff on or off; `false` wins (`shouldUseServerSideDiff` in
/// `controller/state.go`).
fn server_side_diff(application: &Value) -> Option<bool> {
    let written = application.text_at(&["metadata", "annotations", argocd::COMPARE_OPTIONS])?;
    let items = argocd::comma_list(written);
    let has = |item| items.contains(&item);
    if has("ServerSideDiff=false") { Some(false) } else { has("ServerSideDiff=true").then_some(true) }
}

/// The entries of `spec.ignoreDifferences`.
fn ignored_differences(application: &Value) -> Vec<IgnoredDifferences> {
    let rule = |rule: &Value| {
        let text = |key| rule.text_at(&[key]).unwrap_or_default().to_owned();
        let [group, kind, name, namespace] = ["group", "kind", "name", "namespace"].map(text);
        IgnoredDifferences { group, kind, name, namespace, ..IgnoredDifferences::fields_of(rule) }
    };
    application.items_at(&["spec", "ignoreDifferences"]).iter().map(rule).collect()
}

/// The sources of an Application and the path to them (`GetSources` in `pkg/apis/application/v1alpha1/types.go`).
/// With a source hydrator it is the dry source, from which the manifests are rendered.
fn sources(application: Value) -> (Path, List) {
    let mut spec = match application {
        Value::Map(mut map) => match map.remove("spec") {
            Some(Value::Map(spec)) => spec,
            _ => Map::default(),
        },
        _ => Map::default(),
    };
    if let Some(Value::Map(mut hydrator)) = spec.remove("sourceHydrator") {
        return (path!["spec", "sourceHydrator", "drySource"], hydrator.remove("drySource").into_iter().collect());
    }
    match spec.remove("sources") {
        Some(Value::List(sources)) if !sources.is_empty() => (path!["spec", "sources"], sources),
        _ => (path!["spec", "source"], spec.remove("source").into_iter().collect()),
    }
}
