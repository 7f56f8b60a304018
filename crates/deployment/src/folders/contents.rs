//! Decides from the text of a file whether it is a manifest, a template or something else.

use goyaml::documents::{self, Form};
use goyaml::{Node, RefusedBy};

/// What a YAML or JSON file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// At least one object with a kind, or a text that was meant to be one and is broken, or one that is not read here and that Argo CD may read.
    Manifest,
    /// A template, which is YAML only after a tool has rendered it.
    Template,
    /// Anything else: values, the configuration of a program, or no object at all.
    Other,
}

pub(super) fn content_of(text: &str, form: Form) -> Content {
    if !goyaml::may_contain(text, "kind") && !text.contains("{{") {
        return Content::Other;
    }
    let (mut is_manifest, mut is_broken) = (false, false);
    documents::each(
        text,
        form,
        |_| true,
        |_, read| match read {
            Ok(document) => is_manifest |= document.root().is_some_and(is_object),
            Err(error) if error.by == RefusedBy::ArgoCd => is_broken = true,
            // Argo CD may find an object in it. Reading the source reports the error.
            Err(_) => is_manifest = true,
        },
    );
    match (is_manifest, is_broken, text.contains("{{")) {
        (true, ..) => Content::Manifest,
        (false, true, true) => Content::Template,
        // Other broken JSON is a dashboard, or settings with comments, which only their program reads.
        (false, true, false) if has_key(text, "kind", form) && has_key(text, "apiVersion", form) => Content::Manifest,
        _ => Content::Other,
    }
}

/// Whether all documents of a text are Kubernetes objects or empty.
pub(super) fn is_stream(text: &str) -> bool {
    let mut holds = goyaml::may_contain(text, "kind");
    documents::each(
        text,
        Form::Stream,
        |_| true,
        |_, read| {
            holds &= read.is_ok_and(|document| document.root().is_none_or(|root| is_object(root) || root.is_null()));
        },
    );
    holds
}

/// Whether a node has `kind` and `apiVersion`, as every Kubernetes object does, or `kind` and `items`.
fn is_object(root: Node<'_>) -> bool {
    let is_text = |key| root.text_at(&[key]).is_some_and(|text| !text.is_empty());
    is_text("kind") && (is_text("apiVersion") || root.get("items").is_some_and(Node::is_list))
}

/// Whether a broken text may have this key at its top: at the beginning of a line, and in JSON anywhere in quotes.
fn has_key(text: &str, key: &str, form: Form) -> bool {
    match form {
        Form::Stream => text.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'))),
        Form::Json => text.contains(&format!("\"{key}\"")),
    }
}
