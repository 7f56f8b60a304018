//! The sources that `check` and `preview` read: no change to the repository can hide a Job.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::laws::lines::Numbers;
use crate::support::program::{self, Output};
use crate::support::scratch::{Scratch, commit};
use crate::support::{case, switches};

fn job(name: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{template: {{spec: {{restartPolicy: Never, containers: \
         [{{name: c, image: \"b:1\"}}]}}}}}}\n"
    )
}

/// A `PATH` with git, helm and kustomize; `None` when the tools are not installed.
fn path() -> Option<OsString> {
    let tools = switches::tool("kustomize")?.parent()?.to_owned();
    let path = switches::path();
    std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&path))).ok()
}

fn run(at: &Path, path: &OsString, arguments: &[&str]) -> Output {
    let mut command = program::program(at);
    command.args(arguments).env("PATH", path);
    program::run(command, b"")
}

/// The names of the Jobs in a JSON report on several sources, and the reasons why some sources are unknown.
fn jobs_and_reasons(output: &Output) -> (BTreeSet<String>, Vec<String>) {
    let Ok(json) = serde_json::from_str::<Json>(&output.text()) else {
        return (BTreeSet::new(), vec![output.stderr.clone()]);
    };
    let rows = json["applications"].as_array().into_iter().flatten().filter_map(|one| one["rows"].as_array()).flatten();
    let names = rows.filter_map(|row| row["name"].as_str()).map(str::to_owned).collect();
    let unknown = json["notChecked"].as_array().into_iter().flatten().map(|one| &one["reason"]);
    let unknown = unknown.chain(json["applications"].as_array().into_iter().flatten().map(|one| &one["incomplete"]));
    (names, unknown.filter_map(Json::as_str).map(str::to_owned).collect())
}

/// A repository with a source of each kind in its first commit.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("apps/plain/seed.yaml", job("plain-seed"));
    scratch.write("apps/kust/kustomization.yaml", "resources: [seed.yaml]\n");
    scratch.write("apps/kust/seed.yaml", job("kust-seed"));
    scratch.write("apps/base/kustomization.yaml", "resources: [seed.yaml]\n");
    scratch.write("apps/base/seed.yaml", job("base-seed"));
    scratch.write("apps/prod/kustomization.yaml", "namePrefix: prod-\nresources: [../base]\n");
    scratch.write("charts/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    scratch.write("charts/shop/templates/seed.yaml", job("chart-seed"));
    scratch.write("argocd/owned.yaml", application("owned", "apps/owned", ""));
    scratch.write("apps/owned/seed.yaml", job("owned-seed"));
    commit(&scratch.source());
    scratch
}

fn application(name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  destination: {{namespace: x}}\n  \
         source: {{repoURL: https://git.example.com/x.git, path: {path}{more}}}\n"
    )
}

/// A patch that deletes the Jobs from a kustomization's output.
const DELETED: &str = "patches: [{target: {kind: Job}, patch: '{$patch: delete, apiVersion: batch/v1, kind: Job, metadata: {name: x}}'}]\n";

/// The ways to add a Job that Argo CD runs.
const PLACES: [fn(&Scratch); 12] = [
    |scratch| drop(scratch.write("apps/plain/evil.yaml", job("evil"))),
    |scratch| {
        scratch.write("apps/kust/evil.yaml", job("evil"));
        scratch.write("apps/kust/kustomization.yaml", "resources: [seed.yaml, evil.yaml]\n");
    },
    |scratch| drop(scratch.write("charts/shop/templates/evil.yaml", job("evil"))),
    |scratch| drop(scratch.write("apps/owned/evil.yaml", job("evil"))),
    |scratch| {
        scratch.write("apps/base/evil.yaml", job("evil"));
        scratch.write("apps/base/kustomization.yaml", "resources: [seed.yaml, evil.yaml]\n");
    },
    |scratch| drop(scratch.write("apps/plain/evil.json", json("registry.example.com\\/b:1"))),
    |scratch| drop(scratch.write("apps/owned/evil.yaml", json("b:1\\ud83d\\ude80"))),
    |scratch| {
        drop(
            scratch.write("apps/plain/evil.yaml", job("evil").replace("kind: Job", "!!binary a2luZA==: !!binary Sm9i")),
        )
    },
    |scratch| {
        drop(
            scratch.write(
                "apps/owned/evil.yaml",
                job("evil").replace("batch/v1", "!<tag:yaml.org,2002:binary> YmF0Y2gvdjE="),
            ),
        )
    },
    |scratch| {
        scratch.write("apps/kust/evil.yaml", job("evil"));
        scratch.write("apps/kust/kustomization.yaml", "resources: [seed.yaml, !!binary ZXZpbC55YW1s]\n");
    },
    |scratch| {
        scratch.write("fresh/evil.yaml", job("evil"));
        let text = application("fresh", "fresh", "").replace("kind: Application", "kind: \"\\x41pplication\"");
        drop(scratch.write("argocd/fresh.yaml", text));
    },
    |scratch| {
        let deep =
            format!("\"apiVersion\": v1\n\"kind\": ConfigMap\n\"x\": {}{}\n---\n", "[".repeat(600), "]".repeat(600));
        drop(scratch.write("apps/owned/evil.yaml", deep + &job("evil")));
    },
];

/// A Job in JSON, as PHP and Python write it. Go reads more of it than other readers.
fn json(image: &str) -> String {
    let containers = format!("[{{\"name\":\"c\",\"image\":\"{image}\"}}]");
    let spec = format!("{{\"template\":{{\"spec\":{{\"restartPolicy\":\"Never\",\"containers\":{containers}}}}}}}");
    format!("{{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{{\"name\":\"evil\"}},\"spec\":{spec}}}\n")
}

/// An addition that tries to hide the Job, with its name.
type Decoy = (&'static str, fn(&Scratch));

const DECOYS: [Decoy; 18] = [
    ("a kustomization above", |scratch| {
        let files = "[plain/seed.yaml, plain/evil.yaml, kust, base, prod, owned/seed.yaml, owned/evil.yaml]";
        drop(scratch.write("apps/kustomization.yaml", format!("resources: {files}\n{DELETED}")));
    }),
    ("a kustomization beside", |scratch| {
        drop(scratch.write("zz/kustomization.yaml", format!("resources: [../apps/kust, ../apps/prod]\n{DELETED}")));
    }),
    ("a patch in the overlay", |scratch| {
        drop(scratch.write("apps/prod/kustomization.yaml", format!("resources: [../base]\n{DELETED}")));
    }),
    ("an overlay that pins and deletes", |scratch| {
        let text = format!("resources: [../apps/plain, ../apps/base]\nimages: [{{name: b, newTag: '9'}}]\n{DELETED}");
        drop(scratch.write("zz/kustomization.yaml", text));
        drop(scratch.write("zz/tool.yaml", job("evil-tool")));
    }),
    ("a base named in base64", |scratch| {
        drop(scratch.write("apps/prod/kustomization.yaml", "namePrefix: prod-\nresources: [!!binary Li4vYmFzZQ==]\n"));
    }),
    ("a component", |scratch| {
        let text = fs::read_to_string(scratch.source().join("apps/kust/kustomization.yaml")).unwrap();
        let kind = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
        drop(scratch.write("apps/kust/kustomization.yaml", format!("{kind}{text}")));
    }),
    ("an Application for the folder", |scratch| {
        let more = ", directory: {include: seed.yaml}";
        drop(scratch.write("argocd/decoy.yaml", application("decoy", "apps/plain", more)));
    }),
    ("an Application for all folders", |scratch| {
        let more = ", directory: {recurse: true, exclude: '*evil*'}";
        drop(scratch.write("argocd/decoy.yaml", application("decoy", "apps", more)));
    }),
    ("an Application that leaves out", |scratch| {
        let more = ", directory: {exclude: evil.yaml}";
        drop(scratch.write("argocd/owned.yaml", application("owned", "apps/owned", more)));
    }),
    ("no Application", |scratch| fs::remove_file(scratch.source().join("argocd/owned.yaml")).unwrap_or_default()),
    ("a chart above", |scratch| {
        let dependency = "dependencies: [{name: shop, version: 1.0.0, condition: shop.on}]";
        drop(scratch.write("Chart.yaml", format!("apiVersion: v2\nname: all\nversion: 1.0.0\n{dependency}\n")));
        drop(scratch.write("values.yaml", "shop: {on: false}\n"));
    }),
    ("a chart beside", |scratch| {
        let dependency =
            "dependencies: [{name: shop, version: 1.0.0, repository: 'file://../charts/shop', condition: shop.on}]";
        drop(scratch.write("zz/Chart.yaml", format!("apiVersion: v2\nname: zz\nversion: 1.0.0\n{dependency}\n")));
        drop(scratch.write("zz/values.yaml", "shop: {on: false}\n"));
    }),
    ("an inflated chart", |scratch| {
        let text = "helmGlobals: {chartHome: ../charts}\nhelmCharts: [{name: shop, releaseName: x}]\n";
        drop(scratch.write("zz/kustomization.yaml", text));
    }),
    ("a manifest above", |scratch| {
        drop(scratch.write("apps/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\n"));
    }),
    ("a config file above", |scratch| {
        drop(scratch.write(".argocd-jobs.yaml", "recurse: true\nexclude: '*evil*'\n"));
        drop(scratch.write("apps/.argocd-jobs.yaml", "source: directory\n"));
    }),
    ("a config file that leaves out", |scratch| {
        drop(scratch.write("apps/plain/.argocd-jobs.yaml", "exclude: 'evil*'\n"));
    }),
    ("UTF-16", |scratch| {
        let text: Vec<u8> = job("evil").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let file = scratch.source().join("apps/plain/evil.yaml");
        if file.exists() {
            fs::write(file, [&[0xff, 0xfe], text.as_slice()].concat()).unwrap();
        }
    }),
    ("Jsonnet", |scratch| {
        let dir = scratch.source().join("apps/plain");
        let _ = fs::rename(dir.join("evil.yaml"), dir.join("evil.jsonnet"));
    }),
];

#[test]
fn nothing_that_a_change_adds_takes_a_job_out_of_the_comparison() {
    let Some(path) = path() else { return };
    let rounds = switches::number("CHANGES", if switches::long() { 400 } else { 24 });
    for round in 0..rounds {
        let mut numbers = Numbers::of(round as u64 + 1);
        let scratch = repository();
        PLACES[round % PLACES.len()](&scratch);
        let mut chosen = BTreeSet::new();
        for _ in 0..=numbers.below(3) {
            chosen.insert(numbers.below(DECOYS.len()));
        }
        for index in &chosen {
            DECOYS[*index].1(&scratch);
        }
        let decoys: Vec<&str> = chosen.iter().map(|index| DECOYS[*index].0).collect();
        // What an Application deploys that the change removes is said of the Application, not of its new Jobs.
        if decoys.contains(&"no Application") && scratch.source().join("apps/owned/evil.yaml").exists() {
            continue;
        }
        let arguments = ["preview", ".", "--unused", "--base", "HEAD", "--exit-code", "--format", "json"];
        let told = run(&scratch.source(), &path, &arguments);
        let (names, reasons) = jobs_and_reasons(&told);
        let is_shown = names.iter().any(|name| name.contains("evil")) || !reasons.is_empty();
        assert!(
            is_shown && matches!(told.status, Some(1 | 3)),
            "round {round}, {decoys:?}: {names:?} {reasons:?} {}",
            told.stderr
        );
        for seed in ["plain-seed", "kust-seed", "base-seed", "chart-seed", "owned-seed"] {
            let is_shown = names.iter().any(|name| name.contains(seed)) || !reasons.is_empty();
            assert!(is_shown, "round {round}, {decoys:?}: {seed}: {names:?} {}", told.stderr);
        }
    }
}

#[test]
fn every_job_that_generate_emits_for_a_folder_of_a_case_is_in_the_preview() {
    let scratch = Scratch::new();
    // All cases about aliases together exceed the limit of a run.
    for case in case::all().into_iter().filter(|case| !case.name.contains("alias")) {
        for file in case::inputs(&case) {
            let Ok(below) = file.strip_prefix(case.dir.join("in")) else { continue };
            let text = fs::read(&file).unwrap();
            // Other tests are about Applications, and one of these cases is larger than all others together.
            if text.len() < 1 << 20 && !String::from_utf8_lossy(&text).contains("argoproj.io/v1alpha1") {
                scratch.write(&format!("{}/{}", case.name, below.display()), text);
            }
        }
    }
    // Without tools, because tools may read files of other folders. A chart that is not rendered is reported for its
    // templates.
    let path = OsString::new();
    let told = run(&scratch.source(), &path, &["preview", ".", "--format", "json", "--strategy", "keep"]);
    assert!(matches!(told.status, Some(0 | 1)), "{}", told.stderr);
    let json: Json = serde_json::from_str(&told.text()).unwrap();
    let all = |key: &str| json[key].as_array().unwrap().clone();
    let (mut shown, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for source in all("applications").iter().chain(&all("notChecked")) {
        let dir = Path::new(source["path"].as_str().unwrap());
        let jobs = source["rows"].as_array();
        let folder = |job: &Json| Path::new(job["path"].as_str().unwrap_or_default()).parent().map(Path::to_owned);
        shown.extend(jobs.into_iter().flatten().filter_map(folder));
        unknown.extend(source["reason"].as_str().map(|_| dir.to_owned()));
    }
    let mut checked = 0;
    for entry in walkdir::WalkDir::new(scratch.source()).min_depth(1).sort_by_file_name() {
        let entry = entry.unwrap();
        if !entry.file_type().is_dir() {
            continue;
        }
        let told = run(entry.path(), &path, &["generate", ".", "--strategy", "keep"]);
        let text = told.text();
        let mut documents = text.split("\n---");
        let has = |document: &str, line: &str| document.lines().any(|found| found == line);
        let is_job = |document: &str| has(document, "kind: Job") && has(document, "apiVersion: batch/v1");
        if told.status == Some(0) && documents.any(is_job) {
            let below = entry.path().strip_prefix(scratch.source()).unwrap();
            let is_shown =
                shown.iter().any(|dir| dir.starts_with(below)) || unknown.iter().any(|dir| below.starts_with(dir));
            assert!(is_shown, "{}", below.display());
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} folders");
}

#[test]
fn a_chart_that_knows_its_preview_is_not_known() {
    let Some(path) = path() else { return };
    for condition in [
        "ne .Release.Name \"release-name\"",
        "ne (len .Release.Name) 12",
        "not (hasPrefix \"rel\" .Release.Name)",
        "ne (trunc -1 .Release.Name) \"e\"",
        "not (contains \"-\" .Release.Name)",
        "ne .Release.Namespace \"default\"",
        "ne (len .Release.Namespace) 7",
        ".Capabilities.APIVersions.Has \"argoproj.io/v1alpha1\"",
    ] {
        let scratch = repository();
        let text = format!("{{{{- if {condition} }}}}\n{}{{{{- end }}}}\n", job("evil"));
        scratch.write("charts/shop/templates/evil.yaml", text);
        let base = ["preview", ".", "--unused", "--base", "HEAD", "--exit-code", "--format", "json"];
        let told = run(&scratch.source(), &path, &base);
        let (_, reasons) = jobs_and_reasons(&told);
        assert!(reasons.iter().any(|reason| reason.contains("prints a Job only where")), "{condition}: {reasons:?}");
        assert_eq!(told.status, Some(3), "{condition}");
        // With its Application, the chart is rendered as Argo CD does.
        scratch.write("argocd/shop.yaml", application("shop", "charts/shop", ""));
        let told = run(&scratch.source(), &path, &["preview", ".", "--unused", "--format", "json"]);
        assert_eq!(jobs_and_reasons(&told).0.contains("evil"), !condition.contains("APIVersions"), "{condition}");
    }
    // No rendering here has this name, or is at that time.
    for condition in
        ["eq .Release.Name \"prod\"", "eq .Release.Namespace \"prod\"", "gt (now | unixEpoch | int64) 4000000000"]
    {
        let scratch = repository();
        let text = format!("{{{{- if {condition} }}}}\n{}{{{{- end }}}}\n", job("evil"));
        scratch.write("charts/shop/templates/evil.yaml", text);
        let base = ["preview", ".", "--unused", "--base", "HEAD", "--exit-code", "--format", "json"];
        let told = run(&scratch.source(), &path, &base);
        let (_, reasons) = jobs_and_reasons(&told);
        assert!(reasons.iter().any(|reason| reason.contains("prints a Job only where")), "{condition}: {reasons:?}");
        assert_eq!(told.status, Some(3), "{condition}");
    }
    let long = "{{ printf \"%s-%s-%s\" .Release.Name .Release.Namespace \"seed-of-all-the-shops\" | trunc 30 | trimSuffix \"-\" }}";
    for name in ["{{ .Release.Name }}-{{ .Release.Namespace }}-migrate", long] {
        let scratch = repository();
        scratch.write("charts/shop/templates/named.yaml", job(&format!("'{name}'")));
        let told = run(&scratch.source(), &path, &["preview", ".", "--unused", "--base", "HEAD", "--format", "json"]);
        assert_eq!(jobs_and_reasons(&told).1, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn an_empty_submodule_below_a_recursive_source_is_told() {
    let path = switches::path();
    let scratch = Scratch::new();
    scratch.write("app/seed.yaml", job("seed"));
    scratch.write("app/.argocd-jobs.yaml", "recurse: true\n");
    commit(&scratch.source());
    scratch.write(".gitmodules", "[submodule \"x\"]\n\tpath = app/sub\n\turl = https://git.example.com/x.git\n");
    fs::create_dir(scratch.source().join("app/sub")).unwrap();
    for (arguments, is_one) in [(["preview", "."], false), (["preview", "app"], true)] {
        let told = run(&scratch.source(), &path, &[&arguments[..], &["--base", "HEAD", "--exit-code"]].concat());
        let said = if is_one { &told.stderr } else { &told.text() };
        assert!(said.contains("not all Jobs are known: the folder `app/sub` is empty"), "{said}{}", told.stderr);
        assert_eq!(told.status, Some(3));
    }
    fs::remove_file(scratch.source().join(".gitmodules")).unwrap();
    let told = run(&scratch.source(), &path, &["preview", ".", "--base", "HEAD", "--exit-code"]);
    assert_eq!(told.status, Some(0), "{}", told.text());
}

#[test]
fn a_part_is_left_out_when_its_users_show_its_jobs() {
    let Some(path) = path() else { return };
    let sources = |scratch: &Scratch| -> Vec<String> {
        let told = run(&scratch.source(), &path, &["preview", ".", "--unused", "--format", "json"]);
        let json: Json = serde_json::from_str(&told.text()).unwrap();
        let sources = json["applications"].as_array().unwrap().iter();
        sources.filter_map(|source| source["path"].as_str()).map(str::to_owned).collect()
    };
    let scratch = repository();
    let all = ["apps/owned", "apps/kust", "apps/plain", "apps/prod", "argocd", "charts/shop"];
    assert_eq!(sources(&scratch), all);
    scratch.write("apps/prod/kustomization.yaml", format!("resources: [../base]\n{DELETED}"));
    assert!(sources(&scratch).contains(&"apps/base".to_owned()));
}

#[test]
fn a_new_folder_is_not_left_out_for_another_new_one_that_shows_other_pods() {
    let Some(path) = path() else { return };
    let shown = |decoy: &str| {
        let scratch = repository();
        scratch.write("new/job.yaml", job("seed"));
        scratch.write("new/kustomization.yaml", "resources: [job.yaml]\n");
        scratch.write("decoy/kustomization.yaml", format!("resources: [../new]\n{decoy}"));
        let told = run(&scratch.source(), &path, &["preview", ".", "--unused", "--base", "HEAD", "--format", "json"]);
        let json: Json = serde_json::from_str(&told.text()).unwrap();
        let sources = json["applications"].as_array().unwrap().iter().filter_map(|source| source["path"].as_str());
        sources.filter(|path| ["new", "decoy"].contains(path)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(shown("namePrefix: b-\ncommonLabels: {a: b}\n"), ["decoy"]);
    assert_eq!(shown("images: [{name: b, newName: harmless}]\n"), ["decoy", "new"]);
}
