//! Reading Applications: the rules of Argo CD, one by one, and hostile manifests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use system::{PathText, canonical};

use super::*;

mod hostile;

const URL: &str = "https://git.example.com/team/shop.git";

/// A checkout with some folders, removed when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("argocd-jobs-apps-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let outer = std::env::temp_dir().join(name);
        for folder in ["repo/apps/shop", "repo/charts/shop", "repo/.git", "outside"] {
            fs::create_dir_all(outer.join(folder)).unwrap();
        }
        fs::write(outer.join("repo/apps/file"), "").unwrap();
        Self(canonical(outer).unwrap())
    }

    fn file(&self, path: &str, text: &str) {
        fs::write(self.0.join("repo").join(path), text).unwrap();
    }

    fn checkout(&self) -> Checkout {
        Checkout {
            root: self.0.join("repo"),
            repository_urls: vec![URL.to_owned()],
            branch: None,
            tags: None,
            others: Others::default(),
            sets: crate::applications::SetInputs::default(),
            argocd_namespace: None,
        }
    }

    fn read(&self, text: &str) -> Declared {
        read(&[(PathBuf::from("app.yaml"), text.to_owned())], &self.checkout())
    }

    /// The source, when there is exactly one.
    fn source(&self, text: &str) -> ApplicationSource {
        let mut declared = self.read(text);
        assert_eq!((declared.sources.len(), declared.skipped.len()), (1, 0), "{declared:?}");
        declared.sources.remove(0)
    }

    /// Place and reason, when exactly one source is skipped.
    fn skipped(&self, text: &str) -> String {
        let declared = self.read(text);
        assert_eq!((declared.sources.len(), declared.skipped.len()), (0, 1), "{declared:?}");
        let Skipped { place, why, .. } = &declared.skipped[0];
        format!("{}: {}", place.at, why.text())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// An Application with this spec, which is in flow style.
fn app(spec: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop, namespace: gitops}}\nspec: {spec}\n"
    )
}

/// An Application whose source has this block.
fn with_block(block: &str) -> String {
    app(&format!("{{source: {{repoURL: '{URL}', path: apps/shop{block}}}}}"))
}

#[test]
fn an_application_says_what_a_plugin_gets() {
    let scratch = Scratch::new();
    let text = app(&format!(
        "{{project: team, destination: {{namespace: prod}}, syncPolicy: {{automated: {{prune: true}}, syncOptions: [Replace=true]}},\n  \
         source: {{repoURL: '{URL}', path: ./apps/../apps/shop/, targetRevision: main, plugin: {{name: argocd-jobs-v1, \
         env: [{{name: A, value: '$ARGOCD_APP_NAME $KUBE_VERSION $HOME'}}, {{name: A, value: 'b=c'}}, {{name: 'C=D'}}],\
         parameters: [{{name: ttl, string: '5', new: 1}}, {{name: x, array: [a], map: {{b: c}}}}]}}}}}}"
    ));
    let source = scratch.source(&text);
    let application = &source.application;
    let texts = [&application.name, &application.namespace, &application.project, &application.repo_url];
    assert_eq!(texts.map(|text| text.as_deref().unwrap()), ["shop", "prod", "team", URL]);
    assert_eq!(application.source_path.as_deref(), Some("./apps/../apps/shop/"));
    assert_eq!(application.target_revision.as_deref(), Some("main"));
    assert_eq!(
        (source.dir.as_path(), source.by, application.is_native),
        (Path::new("apps/shop"), RenderedBy::Plugin, false)
    );
    assert_eq!(source.place.to_string(), "app.yaml:1:1");
    let wanted = r#"[{"name":"ttl","string":"5"},{"array":["a"],"map":{"b":"c"},"name":"x"}]"#;
    assert_eq!(source.parameters.as_deref(), Some(wanted));
    let known = argocd::Application { kube_version: Some("1.34".to_owned()), ..application.clone() };
    let variables: Vec<(String, String)> = source.variables(&known).into_iter().collect();
    let wanted = [("ARGOCD_ENV_A", "b=c"), ("ARGOCD_ENV_C", "D=")];
    assert_eq!(variables, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let one = ApplicationSource { env: source.env[..1].to_vec(), ..source.clone() };
    assert_eq!(one.variables(&known)["ARGOCD_ENV_A"], "shop 1.34 ");
    let sync = source.sync().unwrap();
    assert!(sync.automated.unwrap().prune && sync.has_option("Replace=true") && !sync.has_option("replace=true"));
}

#[test]
fn what_is_not_written_is_as_in_argo_cd() {
    let scratch = Scratch::new();
    let application = scratch.source(&with_block("")).application;
    assert_eq!((application.name.as_deref(), application.project.as_deref()), (Some("shop"), Some("default")));
    assert_eq!((application.namespace, application.target_revision, application.is_native), (None, None, true));
    assert_eq!(application.sync.unwrap().automated, None);
    let name = |argocd: &str| {
        let checkout = Checkout { argocd_namespace: Some(argocd.to_owned()), ..scratch.checkout() };
        read(&[("a".into(), with_block(""))], &checkout).sources.remove(0).application.name.unwrap()
    };
    assert_eq!((name("gitops").as_str(), name("argocd").as_str()), ("shop", "gitops_shop"));
}

#[test]
fn an_automated_policy_can_be_switched_off() {
    let scratch = Scratch::new();
    let automated = |policy: &str| {
        let text = app(&format!("{{syncPolicy: {policy}, source: {{repoURL: '{URL}', path: .}}}}"));
        scratch.source(&text).sync().unwrap().automated
    };
    assert_eq!(automated("{}"), None);
    assert_eq!(automated("{automated: null}"), None);
    assert_eq!(automated("{automated: {}}"), Some(argocd::Automated::default()));
    assert!(automated("{automated: {enabled: true, selfHeal: true}}").unwrap().self_heal);
    assert_eq!(automated("{automated: {enabled: false, prune: true}}"), None);
}

/// The settings of a source that Argo CD renders itself, each with its value.
fn set(source: &ApplicationSource) -> String {
    let settings = source.native.clone().unwrap().unwrap();
    let set: Vec<String> = settings.iter().map(|(id, set)| format!("{id:?} {}", set.value.display())).collect();
    set.join("; ")
}

#[test]
fn blocks_become_settings() {
    let scratch = Scratch::new();
    for (block, wanted) in [
        ("", ""),
        (", helm: {}, kustomize: {images: []}, directory: {recurse: false}", ""),
        (", kustomize: {forceCommonLabels: true}", ""),
        (", helm: {releaseName: ''}", ""),
        (", helm: {releaseName: a, passCredentials: true, unknown: 1}", r#"Source helm; Helm {"releaseName":"a"}"#),
        (", helm: {valuesObject: {}}", r#"Source helm; Helm {"values":{}}"#),
        (", kustomize: {images: [a:1]}", r#"Source kustomize; Kustomize {"images":["a:1"]}"#),
        (", directory: {recurse: true, include: '*.yaml'}", "Source directory; Recurse true; Include *.yaml"),
        (", directory: {exclude: x}", "Source directory; Exclude x"),
        (", directory: {jsonnet: {libs: [x]}}", "Source directory"),
        (", directory: {jsonnet: {libs: []}}", ""),
        (", directory: {disableExtensionFilter: false}", ""),
    ] {
        let source = scratch.source(&with_block(block));
        assert_eq!((set(&source).as_str(), source.parameters), (wanted, None), "{block}");
    }
    for (block, wanted) in [(", plugin: {}", None), (", plugin: {name: argocd-jobs, parameters: []}", Some("[]"))] {
        let source = scratch.source(&with_block(block));
        assert_eq!((source.parameters.as_deref(), source.native), (wanted, None), "{block}");
    }
    let refused = scratch.source(&with_block(", helm: {version: v2}")).native.unwrap().unwrap_err();
    assert!(refused.to_string().starts_with("parameter `helm`: Helm `v2` is not supported"), "{refused}");
}

#[test]
fn what_cannot_be_rendered_is_skipped_with_its_reason() {
    let scratch = Scratch::new();
    let source = |rest: &str| app(&format!("{{source: {{repoURL: '{URL}'{rest}}}}}"));
    for (text, wanted) in [
        (app("{}"), "1:1: it has no source with a `repoURL` and a `path`"),
        (app("{sources: [], source: {path: .}}"), "1:1: it has no source with a `repoURL` and a `path`"),
        (source(""), "1:1: it has no source with a `repoURL` and a `path`"),
        (source(", chart: nginx"), "1:1: its source is the chart `nginx` of a Helm repository"),
        (source(", path: .., chart: ''"), "1:1: its path `..` leads out of the repository"),
        (source(", path: a/../../outside"), "1:1: its path `a/../../outside` leads out of the repository"),
        (source(", path: /apps/shop"), "1:1: its path `/apps/shop` leads out of the repository"),
        (source(", path: .git"), "1:1: its path `.git` leads out of the repository"),
        (source(", path: apps/none"), "1:1: there is no directory `apps/none` in this checkout"),
        (source(", path: apps/file"), "1:1: there is no directory `apps/file` in this checkout"),
        (source(", path: apps/file/x"), "1:1: there is no directory `apps/file/x` in this checkout"),
        (source(", path: \"a\\u0000b\""), "1:1: there is no directory `a\\u{0}b` in this checkout"),
        (
            with_block(", directory: {disableExtensionFilter: true}"),
            "1:1: `disableExtensionFilter: true` reads files with any extension, which argocd-jobs cannot",
        ),
        (with_block(", plugin: {name: lovely}"), "1:1: the plugin `lovely` renders it"),
        (with_block(", plugin: {name: argocd-jobster}"), "1:1: the plugin `argocd-jobster` renders it"),
        (
            with_block(", helm: {releaseName: a}, kustomize: {namePrefix: b}"),
            "1:1: it has `kustomize` and `helm`, but Argo CD accepts only one of them",
        ),
        (
            with_block(", plugin: {}, helm: {skipCrds: true}"),
            "1:1: it has `helm` and `plugin`, but Argo CD accepts only one of them",
        ),
        (
            app("{source: {repoURL: 'https://me:word@git.example.com/team/other', path: .}}"),
            "1:1: its source is in another repository, `https://git.example.com/team/other`",
        ),
        (app("{source: {repoURL: 1, path: .}}"), "4:26: `spec.source.repoURL` is a number, expected a string"),
        (
            with_block("").replace("name: shop", "name: Shop"),
            "3:18: `metadata.name` is not a valid name: at most 253 characters of a-z, 0-9, `-` and `.`",
        ),
        (
            with_block("").replace("name: shop", "name: \"a\\e[2Jb\""),
            "3:18: `metadata.name` is not a valid name: at most 253 characters of a-z, 0-9, `-` and `.`",
        ),
        (with_block("").replace("name: shop, ", ""), "1:1: it has no `metadata.name`"),
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec: {generators: [{pullRequest: {}}]}\n".to_owned(),
            "1:1: the ApplicationSet is not expanded: its generator `pullRequest` asks a service",
        ),
    ] {
        assert_eq!(scratch.skipped(&text), wanted, "{text}");
    }
}

#[test]
fn of_several_sources_each_is_one() {
    let scratch = Scratch::new();
    let text = app(&format!(
        "\n  source: {{repoURL: '{URL}', path: nothing}}\n  sources:\n  - {{repoURL: '{URL}', path: apps/shop}}\n  \
         - {{repoURL: 'https://charts.example.com', chart: nginx, targetRevision: 1.0.0}}\n  \
         - {{repoURL: '{URL}', ref: values}}\n  - {{repoURL: '{URL}', path: charts/shop, helm: {{valueFiles: [$values/a.yaml, b.yaml]}}}}\n"
    ));
    let declared = scratch.read(&text);
    let found: Vec<String> =
        declared.sources.iter().map(|source| format!("{} {}", source.place.at, source.dir.shown())).collect();
    assert_eq!(found, ["7:5 apps/shop", "10:5 charts/shop"]);
    assert_eq!(
        declared.skipped[0].message().to_string(),
        "app.yaml:8:5: Application `shop`: its source is the chart `nginx` of a Helm repository\nhelp: fetch it with `--network allow`"
    );
    assert!(declared.sources[0].references.is_empty());
    assert_eq!(declared.sources[1].references, BTreeMap::from([("values".to_owned(), None)]));
}

#[test]
fn a_reference_leads_to_a_source_of_this_repository() {
    let scratch = Scratch::new();
    let with = |first: &str, files: &str| {
        app(&format!(
            "{{sources: [{{{first}}}, {{repoURL: '{URL}', targetRevision: main, path: charts/shop, helm: {{{files}}}}}]}}"
        ))
    };
    let own = format!("repoURL: '{URL}', ref: values");
    let source = scratch.source(&with(&own, "fileParameters: [{name: a, path: $values/a}]"));
    assert_eq!(source.references, BTreeMap::from([("values".to_owned(), None)]));
    assert!(scratch.source(&with(&own, "valueFiles: [a.yaml]")).references.is_empty());
    for (first, wanted) in [
        (
            "repoURL: 'https://git.example.com/other', ref: values",
            "`$values` is in another repository, `https://git.example.com/other`",
        ),
        (&format!("repoURL: '{URL}', ref: other"), "`$values` in its value files: no other source has this `ref`"),
        (
            &format!("repoURL: '{URL}', ref: 'a.b'"),
            "invalid `ref` `a.b`: only letters, digits, `-` and `_` are allowed",
        ),
        (
            &format!("repoURL: '{URL}', ref: values, targetRevision: v1"),
            "`$values` in its value files is at revision `v1` of the repository, but the source is at `main`",
        ),
    ] {
        let found = scratch.skipped(&with(first, "valueFiles: [$values/a.yaml]"));
        assert!(found.ends_with(wanted), "{found}");
    }
    let alone =
        app(&format!("{{sources: [{{repoURL: '{URL}', ref: a, path: apps/shop, helm: {{valueFiles: [$a/b]}}}}]}}"));
    assert!(scratch.skipped(&alone).ends_with("`$a` in its value files: no other source has this `ref`"));
    let twice = app(&format!("{{sources: [{{repoURL: '{URL}', ref: a}}, {{repoURL: '{URL}', ref: a}}]}}"));
    assert!(scratch.skipped(&twice).ends_with("two sources have the `ref` `a`"));
}

#[test]
fn a_hydrator_renders_the_dry_source() {
    let scratch = Scratch::new();
    let text = app(&format!(
        "{{destination: {{namespace: prod}}, source: {{repoURL: '{URL}', path: nothing}}, sourceHydrator: {{syncSource: {{targetBranch: x, path: y}}, \
         drySource: {{repoURL: '{URL}', path: apps/shop, targetRevision: main}}}}}}"
    ));
    let source = scratch.source(&text);
    assert_eq!((source.dir.as_path(), source.application.namespace), (Path::new("apps/shop"), None));
}

#[test]
fn lists_documents_and_json_have_applications() {
    let scratch = Scratch::new();
    let one = with_block("").replace('\n', "\n  ");
    let text = format!(
        "{}---\nkind: Job\n---\napiVersion: v1\nkind: List\nitems:\n- {one}\n- kind: Job\n- {one}\n",
        with_block("")
    );
    let declared = scratch.read(&text);
    let lines: Vec<usize> = declared.sources.iter().map(|source| source.place.at.line).collect();
    assert_eq!((lines, declared.skipped.len()), (vec![1, 11, 17], 0));
    let json = format!(
        r#"{{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {{"name": "a"}}, "spec": {{"source": {{"repoURL": "{URL}", "path": "apps/shop"}}}}}}"#
    );
    assert_eq!(scratch.source(&json).application.name.as_deref(), Some("a"));
    let others = "apiVersion: example.com/v1\nkind: Application\n# argoproj.io/\n---\napiVersion: argoproj.io/v1alpha1\nkind: AppProject\n# Application\n";
    let declared = scratch.read(others);
    assert_eq!((declared.sources.len(), declared.skipped.len()), (0, 0));
}

#[test]
fn what_lies_in_the_folder_is_laid_over_the_source() {
    let scratch = Scratch::new();
    scratch.file(
        "apps/shop/.argocd-source.yaml",
        "kustomize: {images: [a:1], namePrefix: x-}\npath: elsewhere\nunknown: 1\n",
    );
    scratch.file("apps/shop/.argocd-source-shop.yaml", "kustomize:\n  images: [a:2]\n");
    let found = set(&scratch.source(&with_block(", kustomize: {nameSuffix: -y}")));
    assert!(found.contains(r#"{"images":["a:2"],"namePrefix":"x-","nameSuffix":"-y"}"#), "{found}");
    assert!(
        scratch
            .skipped(&with_block(", helm: {skipCrds: true}"))
            .ends_with("it has `kustomize` and `helm`, but Argo CD accepts only one of them")
    );
    scratch.file("apps/shop/.argocd-source.yaml", "kustomize: {images: a}\n");
    let found = scratch.skipped(&with_block(""));
    assert_eq!(found, "1:1: `apps/shop/.argocd-source.yaml`: `kustomize.images` is a string, expected a list");
    scratch.file("apps/shop/.argocd-source.yaml", "# nothing\n");
    let source = scratch.source(&with_block(""));
    assert!(set(&source).contains("a:2") && source.application.is_native);
    // With the overrides of another revision.
    let [_, name] = source.overriding_files();
    let laid = |text: &str| source.laid_over(&[(name.clone(), text.to_owned())]);
    let found = laid("kustomize: {images: [a:3]}\n").unwrap();
    assert!(set(&found).contains("a:3"));
    assert_eq!(laid("plugin: {name: argocd-jobs}\n").unwrap().by, RenderedBy::Plugin);
    assert_eq!(
        laid("helm: 1\n").unwrap_err().text(),
        format!("`apps/shop/{name}`: `helm` is a number, expected a map")
    );
}

#[test]
fn without_a_url_a_repository_is_taken_for_this_one_when_the_path_is_there() {
    let scratch = Scratch::new();
    let checkout = Checkout { repository_urls: Vec::new(), ..scratch.checkout() };
    let at = |url: &str, path: &str| app(&format!("{{source: {{repoURL: '{url}', path: {path}}}}}"));
    let read = |text: String| read(&[("a".into(), text)], &checkout);
    let declared = read(at("https://me:word@git.example.com/x", "apps/shop"));
    assert_eq!((declared.sources.len(), declared.skipped.len()), (1, 0));
    assert_eq!(declared.assumed, BTreeSet::from(["https://git.example.com/x".to_owned()]));
    for (url, path) in [("https://git.example.com/x", "apps/none"), ("oci://git.example.com/x", "apps/shop")] {
        let declared = read(at(url, path));
        assert_eq!((declared.sources.len(), declared.skipped.len(), declared.assumed.len()), (0, 1, 0));
    }
}

#[test]
fn what_is_no_yaml_is_broken_at_its_place() {
    let scratch = Scratch::new();
    assert_eq!(
        scratch.skipped("kind: Application\napiVersion: argoproj.io/v1alpha1\n  a: b\n").split(": ").next(),
        Some("3:4")
    );
    let text = format!("{}---\n{}", with_block(""), with_block("").replace("name: shop", "name: {{ .Values.name }}"));
    let declared = scratch.read(&text);
    assert_eq!((declared.sources.len(), declared.skipped.len()), (1, 1));
    assert_eq!(declared.skipped[0].place.at.line, 8);
}
