//! What each fix writes: manifests before and after it.

use lint::fix::{FIXES, Safety};

use crate::support::fixing::{fix, open, read};

/// A Job with these lines in `metadata`, and with these lines before `template`.
fn job(metadata: &str, spec: &str) -> String {
    let (metadata, spec) = (indented(metadata), indented(spec));
    format!(
        "apiVersion: batch/v1 # the group\nkind: Job\nmetadata:\n  name: migrate\n{metadata}spec:\n{spec}  template:\n    spec:\n      \
         restartPolicy: Never\n      containers:\n      - {{name: a, image: 'a:1'}}\n"
    )
}

fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("  {line}\n")).collect()
}

fn annotated(lines: &str) -> String {
    job(&format!("annotations:\n{}", indented(lines)), "")
}

fn after(text: &str, least: Safety) -> String {
    let mut version = read(text.as_bytes(), true).unwrap();
    fix(&mut version, least);
    version.manifests[0].text.clone()
}

/// Annotations before, after `--fix`, and after `--fix=all`.
const ANNOTATIONS: &[(&str, &str, &str)] = &[
    // Hook types.
    (
        "argocd.argoproj.io/hook: presync # first",
        "argocd.argoproj.io/hook: PreSync # first",
        "argocd.argoproj.io/hook: PreSync # first",
    ),
    (
        "argocd.argoproj.io/hook: 'Sync,  postsync '",
        "argocd.argoproj.io/hook: 'Sync,  PostSync '",
        "argocd.argoproj.io/hook: 'Sync,  PostSync '",
    ),
    ("argocd.argoproj.io/hook: PreSynk", "argocd.argoproj.io/hook: PreSynk", "argocd.argoproj.io/hook: PreSync"),
    ("argocd.argoproj.io/hook: pre-sync", "argocd.argoproj.io/hook: pre-sync", "argocd.argoproj.io/hook: PreSync"),
    ("argocd.argoproj.io/hook: Migrate", "argocd.argoproj.io/hook: Migrate", "argocd.argoproj.io/hook: Migrate"),
    ("argocd.argoproj.io/hook: ''", "argocd.argoproj.io/hook: ''", "argocd.argoproj.io/hook: ''"),
    ("\"helm.sh/hook\": \"Pre-Install\"", "\"helm.sh/hook\": \"pre-install\"", "\"helm.sh/hook\": \"pre-install\""),
    // Delete policies.
    (
        "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: hooksucceeded,beforehookcreation",
        "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: HookSucceeded,BeforeHookCreation",
        "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: HookSucceeded,BeforeHookCreation",
    ),
    (
        "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: hooksucceeded",
        "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: hooksucceeded",
        "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: HookSucceeded,BeforeHookCreation",
    ),
    (
        "helm.sh/hook: pre-install\nhelm.sh/hook-delete-policy: hook-succeeded",
        "helm.sh/hook: pre-install\nhelm.sh/hook-delete-policy: hook-succeeded",
        "helm.sh/hook: pre-install\nhelm.sh/hook-delete-policy: hook-succeeded,before-hook-creation",
    ),
    // Sync options.
    (
        "argocd.argoproj.io/sync-options: prune=false, Force = True,Replace=TRUE",
        "argocd.argoproj.io/sync-options: Prune=false, Force=true,Replace=true",
        "argocd.argoproj.io/sync-options: Prune=false, Force=true,Replace=true",
    ),
    (
        "argocd.argoproj.io/sync-options: Prune=false,Replace=True",
        "argocd.argoproj.io/sync-options: Prune=false,Replace=True",
        "argocd.argoproj.io/sync-options: Prune=false",
    ),
    (
        "argocd.argoproj.io/sync-options: Replace=true, Prune=false",
        "argocd.argoproj.io/sync-options: Replace=true, Prune=false",
        "argocd.argoproj.io/sync-options: Prune=false",
    ),
    (
        "argocd.argoproj.io/sync-options: Validate=false PruneLast=true",
        "argocd.argoproj.io/sync-options: Validate=false PruneLast=true",
        "argocd.argoproj.io/sync-options: Validate=false,PruneLast=true",
    ),
    (
        "argocd.argoproj.io/sync-options: replace=true Force=true",
        "argocd.argoproj.io/sync-options: replace=true Force=true",
        "argocd.argoproj.io/sync-options: Replace=true,Force=true",
    ),
    // Names of annotations.
    ("argocd.argoproj.io/hok: PreSync", "argocd.argoproj.io/hok: PreSync", "argocd.argoproj.io/hook: PreSync"),
    (
        "argocd.argoproj.io/Sync-Wave: \"3\"",
        "argocd.argoproj.io/sync-wave: \"3\"",
        "argocd.argoproj.io/sync-wave: \"3\"",
    ),
    (
        "argocd.argoproj.io/hook-weight: \"3\"",
        "argocd.argoproj.io/hook-weight: \"3\"",
        "argocd.argoproj.io/sync-wave: \"3\"",
    ),
    (
        "argocd.argoproj.io/hooks: Sync\nargocd.argoproj.io/hook: Sync",
        "argocd.argoproj.io/hooks: Sync\nargocd.argoproj.io/hook: Sync",
        "argocd.argoproj.io/hooks: Sync\nargocd.argoproj.io/hook: Sync",
    ),
    // Values.
    ("argocd.argoproj.io/sync-wave: ' 5'", "argocd.argoproj.io/sync-wave: '5'", "argocd.argoproj.io/sync-wave: '5'"),
    ("argocd.argoproj.io/sync-wave: '5.0'", "argocd.argoproj.io/sync-wave: '5.0'", "argocd.argoproj.io/sync-wave: '5'"),
    (
        "a: 0644\nb: yes\nc: 1.10\nd: ~",
        "a: \"0644\"\nb: \"yes\"\nc: \"1.10\"\nd: ~",
        "a: \"0644\"\nb: \"yes\"\nc: \"1.10\"\nd: ~",
    ),
    ("a: [1]\nb: {c: 1}", "a: [1]\nb: {c: 1}", "a: [1]\nb: {c: 1}"),
];

#[test]
fn annotations_are_spelled_as_they_were_meant() {
    for (before, safe, all) in ANNOTATIONS {
        assert_eq!(after(&annotated(before), Safety::Safe), annotated(safe), "{before}");
        assert_eq!(after(&annotated(before), Safety::Unsafe), annotated(all), "{before}");
    }
}

/// Whole manifests before, after `--fix`, and after `--fix=all`.
fn manifests() -> Vec<[String; 3]> {
    let plain = job("", "");
    let same = |before: String, safe: &str, all: &str| [before, safe.to_owned(), all.to_owned()];
    let ttl = job("", "ttlSecondsAfterFinished: 60 # a minute");
    let live = job(
        "uid: 1-2\nlabels: {controller-uid: x}\nannotations:\n  kubectl.kubernetes.io/last-applied-configuration: |\n    {}",
        "selector: {matchLabels: {controller-uid: x}}",
    );
    let finalized = job("uid: 1-2\nfinalizers: [orphan, ours.example.com/x]", "");
    let version = plain.replace("batch/v1 ", "batch/v1beta1 ");
    let core = plain.replace("batch/v1 ", "v1 ");
    let policy = plain.replace("Never", "onfailure");
    let variables =
        |value: &str| plain.replace("image: 'a:1'", &format!("image: 'a:1', env: [{{name: A, value: {value}}}]"));
    let owned = job("ownerReferences:\n- {apiVersion: v1, kind: Pod, name: a, uid: b}", "");
    let null = job("", "completions:");
    let selected = plain.replace("containers:", "nodeSelector: {disk: }\n      containers:");
    vec![
        same(ttl.clone(), &ttl, &plain),
        same(live, &plain, &plain),
        same(finalized.clone(), &finalized, &job("finalizers: [ours.example.com/x]", "")),
        same(version.clone(), &version, &plain),
        same(core.clone(), &core, &plain),
        same(policy.clone(), &policy.replace("onfailure", "OnFailure"), &policy.replace("onfailure", "OnFailure")),
        same(variables("0644"), &variables("\"0644\""), &variables("\"0644\"")),
        same(owned.clone(), &owned, &plain),
        same(null, &plain, &plain),
        same(selected.clone(), &selected, &selected),
        same(
            annotated("argocd.argoproj.io/sync-options: Replace=true"),
            &annotated("argocd.argoproj.io/sync-options: Replace=true"),
            &plain,
        ),
        same(plain.clone(), &plain, &plain),
    ]
}

/// Jobs and other objects before, after `--fix`, and after `--fix=all`: the changes that rules know which look at other objects too.
fn with_others() -> Vec<[String; 3]> {
    let plain = job("", "");
    let same = |before: &str, all: &str| [before.to_owned(), before.to_owned(), all.to_owned()];
    let rollout = |job: &str| {
        let pod = "{metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: 'a:1'}]}}";
        format!(
            "{job}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec: {{selector: {{matchLabels: {{app: a}}}}, template: {pod}}}\n"
        )
    };
    let settings = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n".to_owned();
    let compared = plain.clone() + &settings;
    let hooked = annotated("argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: BeforeHookCreation")
        + &settings;
    let needs = |hook: &str| {
        let account = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, annotations: {argocd.argoproj.io/sync-wave: '2'}}\n";
        annotated(hook).replace("restartPolicy", "serviceAccountName: a\n      restartPolicy") + account
    };
    let both = "argocd.argoproj.io/hook: PreSync,PostSync";
    let first = "argocd.argoproj.io/hook: PreSync # first";
    let together = "argocd.argoproj.io/hook: Sync # first\nargocd.argoproj.io/sync-wave: \"2\"";
    let early = rollout(&annotated(
        "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: BeforeHookCreation\nargocd.argoproj.io/sync-wave: \"-1\"",
    ));
    // It waits for a workload of the wave that it would leave.
    let store = "---\napiVersion: v1\nkind: Service\nmetadata: {name: store}\nspec: {selector: {app: b}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: b}\nspec: {selector: {matchLabels: {app: b}}, template: {metadata: {labels: {app: b}}, spec: {containers: [{name: b, image: 'b:1'}]}}}\n";
    let waits = "initContainers: [{name: w, image: 'w:1', command: [nc, -z, store, '80']}]\n      restartPolicy";
    let hook = "argocd.argoproj.io/hook: Sync\nargocd.argoproj.io/hook-delete-policy: BeforeHookCreation";
    let waiting = rollout(&annotated(hook).replace("restartPolicy", waits)) + store;
    vec![
        same(&rollout(&plain), &early),
        same(&waiting, &waiting),
        same(&compared, &hooked),
        same(&needs(first), &needs(together)),
        same(&needs(both), &needs(both)),
    ]
}

#[test]
fn fields_that_do_harm_are_removed() {
    for [before, safe, all] in manifests().into_iter().chain(with_others()) {
        assert_eq!(after(&before, Safety::Safe), safe, "{before}");
        assert_eq!(after(&before, Safety::Unsafe), all, "{before}");
    }
}

#[test]
fn every_fix_is_in_the_tables() {
    let mut done: Vec<&str> = Vec::new();
    let annotations = ANNOTATIONS.iter().map(|(before, ..)| annotated(before));
    for text in annotations.chain(manifests().into_iter().chain(with_others()).map(|[before, ..]| before)) {
        let mut version = read(text.as_bytes(), true).unwrap();
        done.extend(fix(&mut version, Safety::Unsafe).iter().map(|fixed| fixed.rule));
    }
    let missing: Vec<&str> = FIXES.iter().map(|fix| fix.rule).filter(|rule| !done.contains(rule)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Manifests in which a value cannot or must not be changed.
const LEFT: &[&str] = &[
    // An alias shares the value.
    "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations: {argocd.argoproj.io/hook: &h presync}\n  labels: {phase: *h}\n",
    "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations: {x: &h presync, argocd.argoproj.io/hook: *h}\n",
    // The map is merged into another one.
    "x-a: &a {argocd.argoproj.io/hook: presync}\nkind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations:\n    <<: *a\n",
    // The key is repeated.
    "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations:\n    argocd.argoproj.io/hook: presync\n    argocd.argoproj.io/hook: presync\n",
    // The value is a block scalar.
    "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations:\n    argocd.argoproj.io/hook: >-\n      presync\n",
    // The value has a tag.
    "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations: {x: !!int '5'}\n",
    // A comment, and an annotation, ignore the finding.
    "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations:\n    argocd.argoproj.io/hook: presync # argocd-jobs: ignore[unknown-hook] ours\n",
    "kind: Job\napiVersion: batch/v1\nmetadata:\n  name: a\n  annotations:\n    argocd.argoproj.io/hook: presync\n    argocd-jobs/ignore.unknown-hook: ours\n",
];

#[test]
fn what_is_shared_twice_there_or_ignored_is_left() {
    for text in LEFT {
        assert_eq!(after(text, Safety::Unsafe), *text);
        let version = read(text.as_bytes(), true).unwrap();
        let can_be = |finding: &lint::Finding| finding.fix.as_ref().is_some_and(|fix| fix.obstacle.is_none());
        assert!(!open(&version).iter().any(can_be), "{text}");
    }
}

#[test]
fn what_is_around_a_fix_keeps_its_bytes() {
    let fixed = |text: &str| after(text, Safety::Safe);
    let json = "{\"kind\": \"Job\", \"apiVersion\": \"batch/v1\", \"metadata\": {\"name\": \"a\", \"annotations\": {\"argocd.argoproj.io/Hook\": \"presync\", \"n\": 5}}}\n";
    let wanted = json.replace("/Hook\": \"presync", "/hook\": \"PreSync").replace("5}", "\"5\"}");
    assert_eq!(fixed(json), wanted);
    let list = "kind: List\napiVersion: v1\nitems:\n- kind: Secret\n  apiVersion: v1\n  metadata: {name: s}\n  data: {a: 0x10 , b: |\n   x}\n";
    assert_eq!(fixed(list), *list, "what cannot be read is left");
    let items = "kind: List\napiVersion: v1\nitems:\n- {kind: ConfigMap, apiVersion: v1, metadata: {name: c}, data: {a: 0644}}\n- kind: Job\n  apiVersion: batch/v1\n  metadata:\n    name: a\n    annotations: {argocd.argoproj.io/hook: presync}\n- kind: Job\n  apiVersion: batch/v1\n  metadata: {name: b, annotations: {argocd.argoproj.io/hook: sync}}\n";
    assert_eq!(fixed(items), items.replace("presync", "PreSync").replace("hook: sync", "hook: Sync"));
    let windows = annotated("argocd.argoproj.io/hook: presync").replace('\n', "\r\n");
    assert_eq!(fixed(&windows), windows.replace("presync", "PreSync"));
    let stream =
        format!("# first\n---\n{}--- # next\na: b\nkind: X\n---\n\n", annotated("argocd.argoproj.io/hook: presync"));
    assert_eq!(fixed(&stream), stream.replace("presync", "PreSync"));
}
