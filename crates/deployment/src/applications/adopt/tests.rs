//! What happens to an Application, form by form.

use super::*;

/// The text with the plugin.
fn adopted(text: &str, baseline: &[(&str, &str)]) -> String {
    let hashes: Hashes = baseline.iter().map(|(key, hash)| ((*key).to_owned(), (*hash).to_owned())).collect();
    let (text, all) = adopt(text, &|_, _| Some(hashes.clone()));
    assert!(all.iter().all(|one| one.why_not.is_none()), "{all:?}\n{text}");
    text
}

/// Why the only Application is not changed.
fn refused(spec: &str) -> NotAdopted {
    let text = format!("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop}}\nspec:\n{spec}");
    let (same, all) = adopt(&text, &|_, _| Some(Hashes::new()));
    assert_eq!(same, text);
    all.into_iter().next().and_then(|one| one.why_not).unwrap()
}

const HEAD: &str = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec:\n";

#[test]
fn a_block_becomes_a_parameter_and_keeps_its_text() {
    let before = "  source:
    repoURL: https://git.example.com/shop.git
    helm:
      # the values of production
      valueFiles: [values-prod.yaml]   # one
      values: |
        a: 1

        b: |
          text
      parameters:
      - {name: image.tag, value: \"1.4\"}

    path: charts/shop
  syncPolicy:
    syncOptions:
    - CreateNamespace=true
    - Replace=true
";
    let after = "  source:
    repoURL: https://git.example.com/shop.git
    plugin:
      name: argocd-jobs
      parameters:
      - name: helm
        string: |
          # the values of production
          valueFiles: [values-prod.yaml]   # one
          values: |
            a: 1

            b: |
              text
          parameters:
          - {name: image.tag, value: \"1.4\"}
      - name: baseline
        map:
          \"prod/migrate\": \"484k6847c7\"

    path: charts/shop
  syncPolicy:
    syncOptions:
    - CreateNamespace=true
";
    assert_eq!(adopted(&format!("{HEAD}{before}"), &[("prod/migrate", "484k6847c7")]), format!("{HEAD}{after}"));
}

#[test]
fn each_form_of_a_source_gets_the_plugin() {
    for (before, after) in [
        // No block.
        (
            "  source:\n    repoURL: u # here\n    path: deploy # there\n  project: default\n",
            "  source:\n    repoURL: u # here\n    path: deploy # there\n    plugin:\n      name: argocd-jobs\n  project: default\n",
        ),
        (
            "  source:\n    path: deploy\n    repoURL: u",
            "  source:\n    path: deploy\n    repoURL: u\n    plugin:\n      name: argocd-jobs",
        ),
        // An empty block counts as none.
        (
            "  source:\n    repoURL: u\n    path: a\n    helm: {}\n",
            "  source:\n    repoURL: u\n    path: a\n    plugin:\n      name: argocd-jobs\n",
        ),
        // One source in a list.
        (
            "  sources:\n  - repoURL: u\n    path: a\n    kustomize: {namePrefix: prod-}\n",
            "  sources:\n  - repoURL: u\n    path: a\n    plugin:\n      name: argocd-jobs\n      parameters:\n      - name: kustomize\n        string: |\n          {namePrefix: prod-}\n",
        ),
        (
            "  sources:\n  - directory:\n      recurse: true\n      exclude: '*.json'\n    repoURL: u\n    path: a\n",
            "  sources:\n  - plugin:\n      name: argocd-jobs\n      parameters:\n      - name: recurse\n        string: \"true\"\n      - name: exclude\n        string: \"*.json\"\n    repoURL: u\n    path: a\n",
        ),
        // A dry source.
        (
            "  sourceHydrator:\n    drySource:\n      repoURL: u\n      path: a\n      targetRevision: main\n",
            "  sourceHydrator:\n    drySource:\n      repoURL: u\n      path: a\n      targetRevision: main\n      plugin:\n        name: argocd-jobs\n",
        ),
        // Flow style.
        (
            "  source: {repoURL: u, path: a, helm: {releaseName: x}}\n",
            "  source: {repoURL: u, path: a, \"plugin\": {\"name\":\"argocd-jobs\",\"parameters\":[{\"name\":\"helm\",\"string\":\"{releaseName: x}\"}]}}\n",
        ),
        // The only sync option.
        (
            "  source: {repoURL: u, path: a}\n  syncPolicy:\n    automated: {}\n    syncOptions: [Replace=true]\n",
            "  source: {repoURL: u, path: a, \"plugin\": {\"name\":\"argocd-jobs\"}}\n  syncPolicy:\n    automated: {}\n",
        ),
    ] {
        assert_eq!(adopted(&format!("{HEAD}{before}"), &[]), format!("{HEAD}{after}"));
    }
}

#[test]
fn comments_and_line_ends_stay() {
    let before = "  source:\r\n    repoURL: u\r\n    path: a\r\n    helm: # block\r\n      # first\r\n      releaseName: x # last\r\n";
    let after = "  source:\r\n    repoURL: u\r\n    path: a\r\n    plugin:\r\n      name: argocd-jobs\r\n      parameters:\r\n      - name: helm\r\n        string: |\r\n          # first\r\n          releaseName: x # last\r\n";
    let head = HEAD.replace('\n', "\r\n");
    assert_eq!(adopted(&format!("{head}{before}"), &[]), format!("{head}{after}"));
}

#[test]
fn a_text_with_several_objects_changes_in_each_of_them() {
    let application = |name: &str, more: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  source:\n    repoURL: u\n    path: a\n{more}"
        )
    };
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all}\nspec:\n  template:\n    spec:\n      source:\n        repoURL: u\n        path: '{{.path}}'\n";
    let plugin = "    plugin:\n      name: argocd-jobs\n";
    let before = format!("# top\n{}---\nkind: ConfigMap\n---\n{set}", application("one", ""));
    let after = format!(
        "# top\n{}---\nkind: ConfigMap\n---\n{set}        plugin:\n          name: argocd-jobs\n",
        application("one", plugin)
    );
    assert_eq!(adopted(&before, &[]), after);
    let list = "apiVersion: v1\nkind: List\nitems:\n".to_owned()
        + &[application("one", ""), application("two", "")]
            .map(|text| format!("- {}\n", text.trim_end().replace('\n', "\n  ")))
            .concat();
    let (text, all) = adopt(&list, &|_, name| Some(Hashes::from([("migrate".to_owned(), name.to_owned())])));
    assert_eq!(text.matches("argocd-jobs").count(), 2, "{text}");
    assert!(text.contains("\"migrate\": \"one\"") && text.contains("\"migrate\": \"two\""), "{text}");
    let places: Vec<&str> = all.iter().map(|one| &list[one.offset..][..10]).collect();
    assert_eq!(places, ["apiVersion"; 2]);
}

#[test]
fn what_cannot_be_moved_is_left_as_it_is() {
    for (spec, why) in [
        ("  source: {repoURL: u, path: a, plugin: {name: argocd-jobs-v1}}", NotAdopted::Already),
        ("  source: {repoURL: u, path: a, plugin: {name: lovely}}", NotAdopted::OtherPlugin("lovely".to_owned())),
        ("  sources: [{repoURL: u, path: a}, {repoURL: v, ref: values}]", NotAdopted::SeveralSources),
        ("  project: default", NotAdopted::NoSource),
        ("  source: {repoURL: u, path: a, directory: {jsonnet: {tlas: [{name: a, value: b}]}}}", NotAdopted::Jsonnet),
        (
            "  source:\n    repoURL: u\n    path: a\n    helm: &block\n      releaseName: x\n  info: *block",
            NotAdopted::ByHand,
        ),
        ("  source: &source\n    repoURL: u\n    path: a\n  sources: [*source]", NotAdopted::ByHand),
    ] {
        assert_eq!(refused(spec), why, "{spec}");
    }
}
