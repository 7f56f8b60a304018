//! Turns an ApplicationSet into its Applications (`GenerateApplications` in
//! `applicationset/controllers/template/template.go`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::element::{Element, Origin};
use super::fill::filled;
use super::patch::patched;
use super::{Context, Counted, Expansion, Generated, MAX_ELEMENTS, PANIC, Problem, generate};

/// The finalizer that Argo CD adds to each Application: it deletes the Application's resources along with it.
const FINALIZER: &str = "resources-finalizer.argocd.argoproj.io";

/// The fields of `metadata` that a template can set.
const METADATA: [&str; 5] = ["name", "namespace", "labels", "annotations", "finalizers"];

/// The Applications of a set, and the problems that it has.
pub(super) fn expanded(set: &Value, context: &Context<'_>) -> Expansion {
    let mut expansion = Expansion::default();
    for item in context.spec["generators"].as_array().into_iter().flatten() {
        match generate::elements(item, context) {
            Ok(found) => {
                for (field, elements) in found {
                    let template = filled(&item[field]["template"], &context.spec["template"]);
                    add(set, &template, &elements, context, &mut expansion);
                }
            }
            Err(problem) => {
                let is_panic = matches!(&problem, Problem::Failed(message) if message.starts_with(PANIC));
                add_problem(problem, 0, &mut expansion);
                if is_panic {
                    expansion.applications.clear();
                    break;
                }
            }
        }
    }
    expansion.is_left_alone = expansion.problems.iter().any(|one| matches!(one.problem, Problem::Failed(_)));
    refuse_names(set, &mut expansion);
    expansion
}

/// Adds a problem that this many elements have. The set may have it already.
fn add_problem(problem: Problem, elements: usize, expansion: &mut Expansion) {
    match expansion.problems.iter_mut().find(|known| known.problem == problem) {
        Some(known) => known.elements += elements,
        None => expansion.problems.push(Counted { problem, elements }),
    }
}

fn add(set: &Value, template: &Value, elements: &[Element], context: &Context<'_>, expansion: &mut Expansion) {
    for element in elements {
        if expansion.applications.len() == MAX_ELEMENTS {
            return add_problem(super::too_many_elements(), 0, expansion);
        }
        if element.origin == Origin::Placeholder {
            add_problem(Problem::Clusters, 1, expansion);
            continue;
        }
        match application(set, template, element, context) {
            Ok(application) => {
                let is_assumed = element.origin == Origin::Assumed;
                expansion.applications.push(Generated { application, is_assumed });
            }
            Err(problem) => {
                let is_end = matches!(problem, Problem::TooLarge(_));
                add_problem(problem, 1, expansion);
                if is_end {
                    return;
                }
            }
        }
    }
}

/// The Application for an element: the template, rendered with the parameters of the element.
fn application(set: &Value, template: &Value, element: &Element, context: &Context<'_>) -> Result<Value, Problem> {
    let templates = &context.templates;
    let metadata: Map<String, Value> = METADATA
        .iter()
        .filter(|key| !template["metadata"][**key].is_null())
        .map(|key| ((*key).to_owned(), template["metadata"][*key].clone()))
        .collect();
    let mut whole = json!({"metadata": metadata, "spec": template["spec"]});
    if !element.parameters.is_empty() {
        whole = templates.value(&whole, &element.parameters)?;
        let is_preserved = context.spec["syncPolicy"]["preserveResourcesOnDeletion"].as_bool().unwrap_or_default();
        let has_finalizers = whole["metadata"]["finalizers"].as_array().is_some_and(|found| !found.is_empty());
        if !is_preserved && !has_finalizers {
            whole["metadata"]["finalizers"] = json!([FINALIZER]);
        }
    }
    if let Some(patch) = context.spec["templatePatch"].as_str() {
        let patch = templates.text(patch, &element.parameters)?;
        whole = patched(whole, &patch)?;
    }
    whole["apiVersion"] = "argoproj.io/v1alpha1".into();
    whole["kind"] = "Application".into();
    if let Some(metadata) = whole["metadata"].as_object_mut() {
        metadata.remove("namespace");
        let namespace = set["metadata"]["namespace"].as_str();
        metadata.extend(namespace.map(|namespace| ("namespace".to_owned(), namespace.into())));
    }
    Ok(whole)
}

fn name(generated: &Generated) -> &str {
    generated.application["metadata"]["name"].as_str().unwrap_or_default()
}

/// Sorts the Applications by name. Removes Applications without a name and those that share a name: Argo CD makes
/// none of them (`validateGeneratedApplications`). When Applications with placeholders share a name, the first one
/// stays.
fn refuse_names(set: &Value, expansion: &mut Expansion) {
    let set = set["metadata"]["name"].as_str().unwrap_or_default();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for generated in expansion.applications.iter().filter(|generated| !generated.is_assumed) {
        *known.entry(name(generated).to_owned()).or_default() += 1;
    }
    let is_refused = |generated: &Generated| known.get(name(generated)).is_some_and(|count| *count > 1);
    expansion.applications.retain(|generated| !name(generated).is_empty() && !is_refused(generated));
    expansion.applications.sort_by(|one, other| name(one).cmp(name(other)));
    expansion.applications.dedup_by(|later, first| name(later) == name(first));
    // Argo CD stops before it looks at the names.
    if expansion.is_left_alone {
        return;
    }
    if let Some(count) = known.get("") {
        let message = format!("ApplicationSet {set} contains an application with no name");
        add_problem(Problem::Failed(message), *count, expansion);
    }
    for (name, count) in known.iter().filter(|(name, count)| **count > 1 && !name.is_empty()) {
        let message = format!("ApplicationSet {set} contains applications with duplicate name: {name}");
        add_problem(Problem::Failed(message), *count, expansion);
    }
}
