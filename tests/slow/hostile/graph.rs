//! Applications that try to render each other without end, to lead out of the repository, or to forge lines of
//! output.

use std::os::unix::fs::symlink;
use std::time::Duration;

use super::bounded::{Bounds, MIB, limited};
use crate::support::program::{self, Output};
use crate::support::scratch::{Scratch, commit};
use crate::support::switches;

const URL: &str = "https://git.example.com/shop.git";

/// An Application for the folder `path`; `more` adds keys to its source.
fn application(name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: \"{name}\"}}\nspec: {{source: {{repoURL: \"{URL}\", path: \
         \"{path}\"{more}}}, destination: {{}}}}\n---\n"
    )
}

/// An ApplicationSet with generators, and the name and path of its Applications.
fn set(generators: &str, name: &str, path: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: set}}\nspec:\n  goTemplate: true\n  generators: \
         {generators}\n  template:\n    metadata: {{name: '{name}'}}\n    spec: {{source: {{repoURL: \"{URL}\", path: '{path}'}}, \
         destination: {{}}}}\n"
    )
}

/// A list generator with this many elements, each with `key`.
fn list(key: &str, count: usize) -> String {
    let elements: Vec<String> = (0..count).map(|number| format!("{{{key}: a{number}}}")).collect();
    format!("{{list: {{elements: [{}]}}}}", elements.join(", "))
}

/// A Job without findings.
fn job(name: &str) -> String {
    super::job(name).replace("containers: []", "restartPolicy: Never\n      containers: [{name: a, image: \"b:1\"}]")
}

/// A repository with the Job `seed` in `shop`.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("shop/job.yaml", job("seed"));
    scratch
}

/// A chart in `root` with this template, and an Application for it.
fn with_chart(scratch: &Scratch, template: &str) {
    scratch.write("root.yaml", application("root", "root", ""));
    scratch.write("root/Chart.yaml", "apiVersion: v2\nname: root\nversion: 1.0.0\n");
    scratch.write("root/templates/a.yaml", template);
}

/// Runs `check` on the whole repository, with 60 seconds of processor time.
fn check(scratch: &Scratch, memory: usize, more: &[&str]) -> Output {
    commit(&scratch.source());
    let bounds = Bounds { memory, time: Duration::from_secs(60) };
    let mut command = limited(bounds, &[&["check", ".", "--plugin", "--repository-url", URL], more].concat());
    command.current_dir(scratch.source());
    if let Some(helm) = switches::tool("helm") {
        let dirs = [helm.parent().unwrap().to_owned(), "/usr/bin".into(), "/bin".into()];
        command.env("PATH", std::env::join_paths(dirs).unwrap());
    }
    let output = program::run(command, b"");
    assert!(output.status.is_some(), "a signal ended it");
    output
}

/// Address space that Go reserves but does not use, in bytes.
const OF_HELM: usize = 16 << 30;

#[track_caller]
fn says(output: &Output, status: i32, words: &str) {
    let text = output.text() + &output.stderr;
    assert!(output.status == Some(status) && text.contains(words), "{:?}: {text}", output.status);
    assert!(text.len() < 20_000, "{} bytes", text.len());
}

#[test]
fn what_a_chart_renders_has_an_end() {
    if switches::tool("helm").is_none() {
        return;
    }
    let run = |template: &str| {
        let scratch = repository();
        with_chart(&scratch, template);
        check(&scratch, OF_HELM, &[])
    };
    let many = |count: usize, name: &str, more: &str| {
        format!("{{{{- range $i := until {count} }}}}\n{}{{{{- end }}}}\n", application(name, "shop", more))
    };
    let long = format!(", ref: {}", "x".repeat(1_000));
    let million = run(&many(1_000_000, "a{{ $i }}", &long));
    says(&million, 0, "`helm template` ran out of memory");
    assert!(million.text().contains("coverage: 0 Jobs in 0 of 1 Application"), "{}", million.text());
    // Each is compared only with sources that are alike.
    let more = ", helm: {parameters: [{name: a, value: \\\"{{ $i }}\\\"}]}".replace('\\', "");
    says(&run(&many(40_000, "same", &more)), 2, "more than 20,000 sources");
    // The chart renders its own Application.
    let itself = run(&application("root", "root", ""));
    says(&itself, 0, "coverage: 0 Jobs in 1 Application\n");
    // Each time with another name; then ten of them.
    let other = run(&application("{{ .Release.Name }}-a", "root", ""));
    says(&other, 0, "the folder `root` renders itself, each time as another Application");
    let ten = format!(
        "{{{{- range $i := until 10 }}}}\n{}{{{{- end }}}}\n",
        application("{{ $.Release.Name }}-{{ $i }}", "root", "")
    );
    says(&run(&ten), 0, "coverage: 0 Jobs in 111 of 1111 Applications");
    let outside = application("a", "../../../../..", "") + &application("b", "/etc", "");
    let outside = run(&outside);
    says(&outside, 0, "`../../../../..` leads out of the repository");
    says(&outside, 0, "`/etc` leads out of the repository");
}

#[test]
fn charts_that_render_each_other_end() {
    if switches::tool("helm").is_none() {
        return;
    }
    let scratch = repository();
    with_chart(&scratch, &application("{{ .Release.Name }}-b", "other", ""));
    scratch.write("other/Chart.yaml", "apiVersion: v2\nname: other\nversion: 1.0.0\n");
    scratch.write("other/templates/a.yaml", application("{{ .Release.Name }}-a", "root", ""));
    says(
        &check(&scratch, OF_HELM, &[]),
        0,
        "coverage: 0 Jobs in 12 of 14 Applications; 2 not checked: the folder `root` renders itself",
    );
}

#[test]
fn what_a_set_makes_has_an_end() {
    let product = format!(
        "[{{matrix: {{generators: [{{matrix: {{generators: [{}, {}]}}}}, {}]}}}}]",
        list("a", 1_000),
        list("b", 1_000),
        list("c", 1_000)
    );
    let one = format!("[{}]", list("a", 1));
    for (generators, name, why) in [
        (product.as_str(), "{{.a}}", "more than 10000 elements"),
        (&format!("[{}]", list("a", 100_000)), "{{.a}}", "more than 10000 elements"),
        (&format!("[{}]", list("a", 200_000)), "{{.a}}", "more than 500,000 keys and values"),
        (&one, "{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}", "not expanded"),
        (&one, "{{ repeat 1000000000 .a }}", "not expanded"),
        (&one, "{{ define \"a\" }}{{ template \"a\" }}{{ end }}{{ template \"a\" }}", "not expanded"),
        (&one, "{{ $a := dict }}{{ $_ := set $a \"a\" $a }}{{ toJson $a }}", "not expanded"),
        (&one, "{{ $l := until 250000 }}{{ range until 80000 }}{{ $x := first $l }}{{ end }}", "not expanded"),
        (&one, "{{ $l := repeat 8000000 .a }}{{ range until 60000 }}{{ $x := sha256sum $l }}{{ end }}", "not expanded"),
        (&one, "{{ regexReplaceAll \"(a*)*b\" (repeat 30000 \"a\") \"x\" }}", "is not a valid name"),
    ] {
        let scratch = repository();
        scratch.write("set.yaml", set(generators, name, "shop"));
        // A text that is not read is not a success.
        let status = i32::from(why.contains("500,000"));
        says(&check(&scratch, 512 * MIB, &["--format", "json"]), status, why);
    }
}

/// Applications that read the folder of their own set declare what the first of them declares: expanded by each of them, the set takes minutes.
#[test]
fn a_set_that_all_its_applications_render_is_expanded_once() {
    let scratch = repository();
    scratch.write("sets/set.yaml", set(&format!("[{}]", list("a", 400)), "{{.a}}", "sets"));
    says(&check(&scratch, 512 * MIB, &[]), 0, "coverage: 0 Jobs in 400 Applications");
}

#[test]
fn no_more_clusters_are_read_than_a_file_may_hold() {
    let scratch = repository();
    scratch.write("set.yaml", set("[{clusters: {}}]", "{{.name}}", "shop"));
    let clusters = |count: usize| {
        let one =
            |number: usize| format!("{{\"name\":\"c{number}\",\"server\":\"https://c{number}\",\"labels\":{{}}}}");
        format!("[{}]", (0..count).map(one).collect::<Vec<_>>().join(","))
    };
    scratch.write("clusters.json", clusters(100_000));
    says(
        &check(&scratch, 512 * MIB, &["--format", "json", "--clusters", "clusters.json"]),
        0,
        "more than 10000 elements",
    );
    scratch.write("clusters.json", clusters(1_000_000));
    says(&check(&scratch, 512 * MIB, &["--clusters", "clusters.json"]), 2, "it is larger than 16 MiB");
}

/// A star is tried at each place of a name, for each pattern of each Application.
#[test]
fn patterns_that_keep_a_change_out_have_an_end() {
    let patterns = vec![format!("/source/names/*{}b", "?".repeat(1000)); 60].join(";");
    let annotated =
        format!("metadata: {{annotations: {{argocd.argoproj.io/manifest-generate-paths: \"{patterns}\"}}, ");
    let [old, new] = [1, 2].map(|image| {
        let scratch = Scratch::new();
        scratch.write("shop/job.yaml", job("seed").replace("b:1", &format!("b:{image}")));
        let application = application("shop", "source/shop", "").replace("metadata: {", &annotated);
        scratch.write("app.yaml", application.replace("destination", "syncPolicy: {automated: {}}, destination"));
        for number in 0..3000 {
            scratch.write(&format!("names/{number:a>250}"), image.to_string());
        }
        scratch
    });
    let bounds = Bounds { memory: 256 * MIB, time: Duration::from_secs(60) };
    let base = old.source();
    let base = ["--base", base.to_str().unwrap()];
    let mut command =
        limited(bounds, &[&["preview", "--application", "app.yaml", "--repository-url", URL], &base[..]].concat());
    command.current_dir(new.source());
    let output = program::run(command, b"");
    says(&output, 1, "Starts on merge.");
}

#[test]
fn nothing_outside_of_the_repository_is_read() {
    let outside = Scratch::new();
    outside.write("folder/job.yaml", job("outside"));
    outside.write("values.yaml", "name: outside\n");
    let scratch = repository();
    for (link, to) in [("folder", "folder"), ("up", ""), ("values.yaml", "values.yaml")] {
        symlink(outside.source().join(to), scratch.source().join(link)).unwrap();
    }
    let git = |what: &str| format!("[{{git: {{repoURL: \"{URL}\", revision: HEAD, {what}}}}}]");
    let directories = git("directories: [{path: '*'}, {path: '*/*'}, {path: '../*'}, {path: '../*/*'}]");
    let files =
        git("files: [{path: '**'}, {path: '**/*.yaml'}, {path: values.yaml}, {path: up/values.yaml}, {path: '../**'}]");
    scratch.write("sets/a.yaml", set(&directories, "d-{{.path.basename}}", "{{.path.path}}"));
    scratch.write("sets/b.yaml", set(&files, "f-{{.name}}", "{{.path.path}}"));
    let paths = ["folder", "up/folder", "shop/../folder", "..", "shop/../../x", "/"];
    let applications = paths.iter().enumerate().map(|(number, path)| application(&format!("a{number}"), path, ""));
    scratch.write("sets/c.yaml", applications.collect::<String>());
    let output = check(&scratch, 512 * MIB, &["--all"]);
    let text = output.text() + &output.stderr;
    assert!(!text.contains("outside/") && !text.contains("Job `outside`") && !text.contains("f-outside"), "{text}");
    says(&output, 1, "its path `folder` leads out of the repository");
}
