//! `docs/adopt.md`: the Applications that it shows before and after a move are rendered in the same way. And the
//! tables of `docs/configuration.md` leave out no field.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use goyaml::Value;
use goyaml::json::{Form, print};
use rewrite::settings::{BlockType, PARAMETERS, Scope, ValueType};

use super::fake::World;

/// The expected calls of the tools for the Applications on the page, in the order of the page.
const CALLS: [&str; 2] = [
    "ROOT/charts/shop$ helm template . --name-template shop --namespace live --set image.tag=1.4 --values ROOT/charts/shop/values-prod.yaml --include-crds\n",
    "ROOT/overlays/prod$ kustomize edit set nameprefix -- prod-\n\
     ROOT/overlays/prod$ kustomize edit set image registry.example.com/shop:1.4\n\
     ROOT$ kustomize build ROOT/overlays/prod\n",
];

#[test]
fn an_application_that_is_moved_is_rendered_as_before() {
    let (mut shown, mut checked) = (Vec::new(), 0);
    for block in blocks() {
        let source = |block: &str| Value::read(block).unwrap().at(&["spec", "source"]).unwrap().clone();
        if block.starts_with("# before") {
            shown.push(source(&block));
        } else if block.starts_with("# after") {
            let after = source(&block);
            let found = shown.iter().position(|before| before.text_at(&["path"]) == after.text_at(&["path"]));
            let index = found.expect("there is no such Application before");
            same_source(&shown[index], &after);
            assert_eq!(calls(&after), CALLS[index], "{block}");
            checked += 1;
        }
    }
    assert_eq!((shown.len(), checked), (2, 3));
}

#[test]
fn the_sidecars_environment_is_understood() {
    let variables: BTreeMap<String, String> = blocks()
        .iter()
        .filter(|block| block.starts_with("# the sidecar's environment"))
        .flat_map(|block| Value::read(block).unwrap().at(&["env"]).and_then(Value::as_list).unwrap().to_vec())
        .map(|variable| {
            let text = |key| variable.text_at(&[key]).unwrap().to_owned();
            (text("name"), text("value"))
        })
        .collect();
    assert!(variables.len() >= 3, "{variables:?}");
    let world = world();
    let output = world.generate("charts/shop", &variables);
    assert!(output.is_quiet_success(), "{}", output.stderr);
    // An unknown name is refused, so each of the names above is known.
    let unknown = [("ARGOCD_JOBS_HELM_REGISTRY".to_owned(), "/x".to_owned())].into();
    assert_eq!(world.generate("charts/shop", &unknown).status, Some(2));
}

#[test]
fn the_tables_have_every_field_and_every_parameter_that_is_about_rendering() {
    let page = page("docs/configuration.md");
    for (field, _) in [BlockType::Helm, BlockType::Kustomize].into_iter().flat_map(BlockType::fields) {
        assert!(page.contains(&format!("\n| `{field}`")) || *field == "valuesObject", "{field}");
    }
    for parameter in PARAMETERS {
        let name = parameter.name;
        let collection = match parameter.value_type {
            ValueType::List | ValueType::Texts => "array",
            ValueType::Map => "map",
            _ => "string",
        };
        let wanted = match parameter.scope {
            Scope::Platform => format!("`ARGOCD_JOBS_{}`", name.to_uppercase().replace('-', "_")),
            _ if name.starts_with("helm-") || name.starts_with("kustomize-") => format!("| `{name}` | {collection} |"),
            _ => continue,
        };
        assert!(page.contains(&wanted), "docs/configuration.md does not have {wanted}");
    }
}

/// Asserts that both sources are equal except for the renderer, and that each block in a parameter has the content of
/// the renderer's block.
fn same_source(before: &Value, after: &Value) {
    for key in ["repoURL", "path"] {
        assert_eq!(before.text_at(&[key]), after.text_at(&[key]));
    }
    for parameter in after.at(&["plugin", "parameters"]).and_then(Value::as_list).unwrap() {
        let name = parameter.text_at(&["name"]).unwrap();
        if let ("helm" | "kustomize", Some(text)) = (name, parameter.text_at(&["string"])) {
            assert_eq!(Value::read(text).ok().as_ref(), before.at(&[name]));
        }
    }
}

/// The calls of the tools for an Application's source.
fn calls(source: &Value) -> String {
    let world = world();
    let parameters = print(source.at(&["plugin", "parameters"]).unwrap(), Form::Stream);
    let environment =
        [("ARGOCD_APP_NAME", "shop"), ("ARGOCD_APP_NAMESPACE", "live"), ("ARGOCD_APP_PARAMETERS", &parameters)];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let output = world.generate(source.text_at(&["path"]).unwrap(), &environment);
    assert!(output.is_quiet_success(), "{}", output.stderr);
    world.calls()
}

fn world() -> World {
    let files = [
        ("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"),
        ("charts/shop/values-prod.yaml", "a: 1\n"),
        ("overlays/prod/kustomization.yaml", "resources: []\n"),
    ];
    World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), true)
}

/// The `yaml` blocks of the page.
fn blocks() -> Vec<String> {
    let page = page("docs/adopt.md");
    page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn page(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}
