//! Puts the plugin into the manifest of a live Application, or into the template of an ApplicationSet: the block of its source becomes
//! parameters of the plugin, and `Replace=true` goes from its sync options. Every other byte stays as it is.

mod plugin;
#[cfg(test)]
mod tests;

use goyaml::edit::in_place;
use goyaml::split::split;
use goyaml::{Change, Document, Node, Path, Target, Tree, Value, path};
use kube_jobs::kubernetes::list;
use rewrite::settings::Hashes;
use text::{Message, Span};

use super::may_have_applications;
use plugin::Parameter;

/// The sync option that replaces every object, with which a Job with a baseline would run again.
const REPLACE: &str = "Replace=true";

/// The blocks of a source that Argo CD renders itself.
const BLOCKS: [&str; 3] = ["helm", "kustomize", "directory"];

/// Why the manifest of an Application does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAdopted {
    /// It uses this plugin already.
    Already,
    /// It uses the plugin of this name.
    OtherPlugin(String),
    /// It has more than one source. A plugin gets no files of another source.
    SeveralSources,
    /// It has no source that Argo CD renders.
    NoSource,
    /// Its source has options of Jsonnet.
    Jsonnet,
    /// A part of the template is text (`spec.templatePatch`).
    TemplatePatch,
    /// It cannot be changed in place: aliases, merge keys, or unusual YAML.
    ByHand,
}

impl NotAdopted {
    /// The reason, and what to do about it.
    pub fn message(&self) -> Message {
        let (why, help) = match self {
            Self::Already => ("it uses the plugin already".to_owned(), None),
            Self::OtherPlugin(other) => (
                format!("it uses the plugin `{other}`, and a source has one plugin"),
                Some("docs/alternatives.md says how to put `argocd-jobs generate -` behind another plugin"),
            ),
            Self::SeveralSources => (
                "it has several sources, and a plugin gets no files of another source".to_owned(),
                Some("docs/adopt.md says what to do with value files of another source"),
            ),
            Self::NoSource => ("it has no source".to_owned(), None),
            Self::Jsonnet => ("its source has options of Jsonnet, which the plugin does not run".to_owned(), None),
            Self::TemplatePatch => (
                "`spec.templatePatch` is text, so that its source cannot be changed".to_owned(),
                Some("add the plugin by hand: docs/adopt.md has the block before and after"),
            ),
            Self::ByHand => (
                "its YAML cannot be changed in place".to_owned(),
                Some(
                    "write it without anchors, aliases and merge keys, or add the plugin by hand: docs/adopt.md has the block before and after",
                ),
            ),
        };
        let message = Message::new(why);
        match help {
            Some(help) => message.help(help),
            None => message,
        }
    }
}

/// The result for one Application or ApplicationSet of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// `Application` or `ApplicationSet`
    pub kind: &'static str,
    /// `metadata.name`
    pub name: String,
    /// The offset of the object in the original text, in bytes.
    pub offset: usize,
    /// None if it was changed.
    pub why_not: Option<NotAdopted>,
}

/// The content hashes of the Jobs of an object that must not run again, by its kind and name; none for one that stays as it is.
type Baseline<'b> = dyn Fn(&str, &str) -> Option<Hashes> + 'b;

/// The text with the plugin in its Applications and ApplicationSets, and the outcome for each, in the order of the text. Text that is not YAML stays
/// as it is.
pub fn adopt(text: &str, baseline: &Baseline<'_>) -> (String, Vec<Adopted>) {
    let (mut out, mut all) = (String::with_capacity(text.len()), Vec::new());
    let mut end = 0;
    let pieces = split(text);
    for span in (0..pieces.len()).map(|index| pieces.span(index)) {
        out.push_str(&text[end..span.start]);
        out.push_str(&of_piece(text, span, baseline, &mut all));
        end = span.end;
    }
    out.push_str(&text[end..]);
    (out, all)
}

/// The new text of a piece with one document.
fn of_piece(text: &str, span: Span, baseline: &Baseline<'_>, all: &mut Vec<Adopted>) -> String {
    let mut piece = span.of(text).to_owned();
    if !may_have_applications(&piece) {
        return piece;
    }
    let mut tree = Tree::default();
    let count = tree.read(&piece).map(|document| list::objects(document).len()).unwrap_or_default();
    // What has been changed is read again: the places of what follows in a list have moved.
    let mut grown = 0;
    for index in 0..count {
        let Ok(document) = tree.read(&piece) else { break };
        let Some((item, object)) = list::objects(document).into_iter().nth(index) else { break };
        let Some(kind) = kind(object) else { continue };
        let name = object.text_at(&["metadata", "name"]).unwrap_or_default().to_owned();
        let offset = (span.start + object.span().start).saturating_sub(grown);
        let Some(hashes) = baseline(kind, &name) else { continue };
        let result = changed(document, item, object, kind, &hashes);
        let why_not = result.as_ref().err().cloned();
        all.push(Adopted { kind, name, offset, why_not });
        if let Ok(changed) = result {
            piece = changed;
            grown = piece.len().saturating_sub(span.of(text).len());
        }
    }
    piece
}

fn kind(object: Node<'_>) -> Option<&'static str> {
    let is_of_group = object.text_at(&["apiVersion"]).is_some_and(|version| version.starts_with("argoproj.io/"));
    let kind = object.text_at(&["kind"]).filter(|_| is_of_group)?;
    ["Application", "ApplicationSet"].into_iter().find(|known| *known == kind)
}

/// The text of the document with the plugin in one of its objects.
fn changed(
    document: Document<'_>,
    item: Option<usize>,
    object: Node<'_>,
    kind: &str,
    baseline: &Hashes,
) -> Result<String, NotAdopted> {
    let spec = if kind == "Application" { path!["spec"] } else { path!["spec", "template", "spec"] };
    if kind == "ApplicationSet" && object.at(&["spec", "templatePatch"]).is_some() {
        return Err(NotAdopted::TemplatePatch);
    }
    let path = source_path(object, &spec)?;
    let (source, _) = object.follow(&path);
    if let Some(plugin) = source.get("plugin").filter(|plugin| plugin.is_map()) {
        let name = plugin.text_at(&["name"]).unwrap_or_default();
        return Err(if super::source::is_ours(name) {
            NotAdopted::Already
        } else {
            NotAdopted::OtherPlugin(name.to_owned())
        });
    }
    let block = BLOCKS.into_iter().find_map(|name| Some((name, source.get(name)?)));
    let parameters = plugin::parameters(document, block, baseline)?;
    let text = plugin::written(document, item, source, &path, block.map(|(name, _)| name), &parameters);
    let text = text.ok_or(NotAdopted::ByHand)?;
    let text = without_replace(&text, item, &spec).ok_or(NotAdopted::ByHand)?;
    let is_right = holds(object, &text, item, &path, &parameters);
    if is_right { Ok(text) } else { Err(NotAdopted::ByHand) }
}

/// The path to the only source (`GetSources` in `pkg/apis/application/v1alpha1/types.go`), or to the dry source of a hydrator.
fn source_path(object: Node<'_>, spec: &Path) -> Result<Path, NotAdopted> {
    let (node, depth) = object.follow(spec);
    if depth < spec.steps().len() {
        return Err(NotAdopted::NoSource);
    }
    let path = if node.get("sourceHydrator").is_some() {
        spec.join(&path!["sourceHydrator", "drySource"])
    } else {
        match node.get("sources").map_or(0, |sources| sources.items().count()) {
            0 => spec.with("source"),
            1 => spec.with("sources").with(0),
            _ => return Err(NotAdopted::SeveralSources),
        }
    };
    let (source, depth) = object.follow(&path);
    if depth == path.steps().len() && source.is_map() { Ok(path) } else { Err(NotAdopted::NoSource) }
}

/// The text of the document without `Replace=true` in the sync options of its Application. None if it cannot be changed in place.
fn without_replace(text: &str, item: Option<usize>, spec: &Path) -> Option<String> {
    let mut tree = Tree::default();
    let document = tree.read(text).ok()?;
    let options = spec.join(&path!["syncPolicy", "syncOptions"]);
    let object = object_at(document, item)?;
    let (list, depth) = object.follow(&options);
    if depth < options.steps().len() {
        return Some(text.to_owned());
    }
    let Some(change) = without(&list.value().ok()?, options) else { return Some(text.to_owned()) };
    let edits = in_place(document, [Target { item, changes: vec![change] }].as_slice())?;
    Some(edits.apply(text))
}

fn object_at(document: Document<'_>, item: Option<usize>) -> Option<Node<'_>> {
    list::objects(document).into_iter().find(|(index, _)| *index == item).map(|(_, object)| object)
}

/// Whether the new text says what the old object said, with these parameters of the plugin in the place of its block.
fn holds(old: Node<'_>, text: &str, item: Option<usize>, path: &Path, parameters: &[Parameter]) -> bool {
    let mut tree = Tree::default();
    let mut read = || -> Option<bool> {
        let new = object_at(tree.read(text).ok()?, item)?;
        let (mut old, mut new) = (old.value().ok()?, new.value().ok()?);
        let written = new.at_path(&path.with("plugin"))?.clone();
        for value in [&mut old, &mut new] {
            for block in BLOCKS.into_iter().chain(["plugin"]) {
                Change::remove(path.with(block)).apply(value);
            }
            drop_replace(value);
        }
        Some(old == new && plugin::says(&written, parameters))
    };
    read().unwrap_or(false)
}

fn drop_replace(object: &mut Value) {
    for spec in [path!["spec"], path!["spec", "template", "spec"]] {
        let options = spec.join(&path!["syncPolicy", "syncOptions"]);
        let change = object.at_path(&options).and_then(|list| without(list, options.clone()));
        change.iter().for_each(|change| change.apply(object));
    }
}

/// The change that removes `Replace=true` from the list at `options`, and a list that is empty without it. None if it is not in there.
fn without(list: &Value, options: Path) -> Option<Change> {
    let all = list.as_list()?;
    let kept: Vec<Value> = all.iter().filter(|option| option.as_text() != Some(REPLACE)).cloned().collect();
    match kept.len() {
        0 if !all.is_empty() => Some(Change::remove(options)),
        count if count < all.len() => Some(Change::set(options, Value::List(kept.into()))),
        _ => None,
    }
}
