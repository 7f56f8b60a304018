//! The places of findings and preview lines about rendered manifests are in the files of the repository.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::fake::World;
use crate::support::program::{Output, run};
use crate::support::switches;

/// A chart with a Job whose template has a line of each kind.
const CHART: [(&str, &str); 2] = [
    ("apps/shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"),
    (
        "apps/shop/templates/job.yaml",
        "{{- if true }}\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-migrate\nspec:\n  template:\n    spec:\n      restartPolicy: Always\n      containers:\n        - name: a\n          image: {{ .Values.image | default \"x:latest\" }}\n{{- end }}\n",
    ),
];

/// The output of helm for this chart.
const RENDERED: &str = "---\n# Source: shop/templates/job.yaml\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: release-name-migrate\nspec:\n  template:\n    spec:\n      restartPolicy: Always\n      containers:\n        - name: a\n          image: x:latest\n";

/// A kustomization in which the overlay sets the image.
const OVERLAY: [(&str, &str); 3] = [
    ("apps/prod/kustomization.yaml", "namePrefix: prod-\nresources: [../base]\nimages: [{name: x, newTag: latest}]\n"),
    ("apps/base/kustomization.yaml", "resources: [job.yaml]\n"),
    (
        "apps/base/job.yaml",
        "# the Job\napiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec:\n  template:\n    spec: {restartPolicy: Always, containers: [{name: a, image: \"x:1\"}]}\n",
    ),
];

/// The output of kustomize for it; `@ORIGIN@` is where an annotation can be inserted.
const BUILT: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n@ORIGIN@  name: prod-migrate\nspec:\n  template:\n    spec:\n      containers:\n      - image: x:latest\n        name: a\n      restartPolicy: Always\n";

fn world(files: &[(&str, &str)]) -> World {
    World::new(&files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(), false)
}

/// Runs a subcommand at the root of the repository; `check` prints every finding.
fn at_root(world: &World, arguments: &[&str]) -> Output {
    let mut command = world.command("", &BTreeMap::new());
    command.args(arguments).args((arguments[0] == "check").then_some("--all"));
    run(command, b"")
}

/// The sorted places in an output, without the messages and the names of objects.
fn places(output: &Output) -> Vec<String> {
    assert_eq!(output.stderr, "");
    let text = output.text();
    let cut = |line: &str| Some(line.split_once(": error[").or_else(|| line.split_once(": info["))?.0.to_owned());
    let without_object =
        |place: String| place.split_once(" (Job ").map_or(place.clone(), |(place, _)| place.to_owned());
    let mut places: Vec<String> = text.lines().filter_map(cut).map(without_object).collect();
    places.sort_unstable();
    places
}

/// Runs `then` with a fake helm that prints a text, and again with the real one if `TOOLS` has it.
fn each_helm(world: &World, rendered: &str, then: impl Fn(&World)) {
    world.tool("helm", &format!("/bin/cat <<'END'\n{rendered}END"));
    then(world);
    if let Some(helm) = switches::tool("helm") {
        world.real("helm", &helm);
        then(world);
    }
}

#[test]
fn a_finding_about_a_chart_is_at_its_template() {
    let world = world(&CHART);
    each_helm(&world, RENDERED, |world| {
        let text = at_root(world, &["check", "--plugin", "apps/shop"]).text();
        let exact = "apps/shop/templates/job.yaml:9:22: error[invalid-job]: ";
        assert!(text.contains(exact), "{text}");
        assert!(text.contains("\n  |\n9 |       restartPolicy: Always\n  |                      ^^^^^^\n"), "{text}");
        let made = "apps/shop/templates/job.yaml:12:18: info[mutable-image]: ";
        assert!(text.contains(made), "{text}");
        assert!(text.contains("\n  --> <helm template>:13:18\n   |\n13 |           image: x:latest\n"), "{text}");

        let github = at_root(world, &["check", "--plugin", "apps/shop", "--format", "github"]).text();
        assert!(
            github.contains("::error file=apps/shop/templates/job.yaml,line=9,col=22,endColumn=28,title="),
            "{github}"
        );
        let sarif = at_root(world, &["check", "--plugin", "apps/shop", "--format", "sarif"]).text();
        assert!(sarif.contains("\"uri\": \"apps/shop/templates/job.yaml\""), "{sarif}");
        assert!(!sarif.contains("\"precision\""), "{sarif}");
        let preview = at_root(world, &["preview", "--plugin", "apps/shop", "--format", "json"]).text();
        assert!(
            preview.contains(
                "\"path\": \"apps/shop/templates/job.yaml\",\n          \"line\": 5,\n          \"column\": 9,\n"
            ),
            "{preview}"
        );
        // The messages of `generate` are about the rendered text.
        let generated = at_root(world, &["generate", "apps/shop"]);
        assert!(generated.text().contains("Source: shop/templates/job.yaml"), "{}", generated.stderr);
    });
}

#[test]
fn a_finding_about_a_kustomization_is_at_the_manifest() {
    let world = world(&OVERLAY);
    let origin = "  annotations:\n    config.kubernetes.io/origin: |\n      path: '@PATH@'\n";
    let plain = BUILT.replace("@ORIGIN@", "");
    let root = std::fs::canonicalize(world.root()).unwrap();
    let up = "../".repeat(std::fs::canonicalize(world.temporary()).unwrap().components().count() + 1);
    let path = format!("{up}{}/apps/base/job.yaml", root.strip_prefix("/").unwrap().display());
    let annotated = BUILT.replace("@ORIGIN@", &origin.replace("@PATH@", &path));
    let script = format!(
        "case \"$2\" in */places) /bin/cat <<'END'\n{annotated}END\n;; *) /bin/cat <<'END'\n{plain}END\n;; esac"
    );
    world.tool("kustomize", &script);
    let check = |world: &World| {
        let output = at_root(world, &["check", "--plugin", "apps/prod"]);
        assert_eq!(places(&output), ["apps/base/job.yaml:4:18", "apps/base/job.yaml:7:27"]);
        let text = output.text();
        assert!(text.contains("\n --> <kustomize build>:9:16\n  |\n9 |       - image: x:latest\n"), "{text}");
        let json = at_root(world, &["check", "--plugin", "apps/prod", "--format", "json"]).text();
        assert_eq!(json.matches("\"precision\": \"object\"").count(), 2, "{json}");
        let preview = at_root(world, &["preview", "--plugin", "apps/prod", "--format", "json"]).text();
        assert!(
            preview.contains("\"path\": \"apps/base/job.yaml\",\n          \"line\": 4,\n          \"column\": 18,\n"),
            "{preview}"
        );
        let generated = at_root(world, &["generate", "apps/prod"]);
        assert!(!generated.text().contains("config.kubernetes.io/origin"), "{}", generated.text());
    };
    check(&world);
    if let Some(kustomize) = switches::tool("kustomize") {
        world.real("kustomize", &kustomize);
        check(&world);
    }
}

#[test]
fn kustomize_builds_twice_only_where_it_is_asked_which_file_a_job_is_in() {
    let builds = |world: &World| world.calls().matches("kustomize build ").count();
    let job = BUILT.replace("@ORIGIN@", "");
    for (subcommand, printed, wanted) in
        [("check", job.as_str(), 2), ("preview", &job, 2), ("generate", &job, 1), ("check", "kind: A\n", 1)]
    {
        let world = world(&OVERLAY);
        world.tool("kustomize", &format!("case \"$2\" in */places) exit 1 ;; esac\n/bin/cat <<'END'\n{printed}END"));
        let plugin = if subcommand == "generate" { vec![] } else { vec!["--plugin"] };
        let output = at_root(&world, &[&[subcommand, "apps/prod"], plugin.as_slice()].concat());
        assert_eq!((builds(&world), output.stderr.as_str()), (wanted, ""), "{subcommand} {printed}");
        if subcommand == "check" && wanted == 2 {
            let file = "apps/prod/kustomization.yaml (<kustomize build>:";
            assert_eq!(places(&output), [format!("{file}11:22)"), format!("{file}9:16)")]);
            let github = at_root(&world, &["check", "--plugin", "apps/prod", "--format", "github"]).text();
            let line = "::error file=apps/prod/kustomization.yaml,line=1,col=1,endColumn=2,title=invalid-job::";
            assert!(github.contains(line), "{github}");
            let note =
                "%0Anote: only the file is known, not the line; in the output of `kustomize build` it is line 11%0A";
            assert!(github.contains(note), "{github}");
        }
    }
}

#[test]
fn what_a_chart_prints_leads_to_no_other_file() {
    for (name, place) in [
        ("shop/../../../outside/job.yaml", "<helm template>:10:22"),
        ("shop//etc/passwd", "<helm template>:10:22"),
        ("shop/.git/config", "<helm template>:10:22"),
        ("shop/\u{202e}x.yaml", "<helm template>:10:22"),
        ("shop/templates/\u{202e}.yaml", "apps/shop/templates/\\u{202e}.yaml (<helm template>:10:22)"),
        ("shop/charts/far/templates/job.yaml", "apps/shop/Chart.yaml (<helm template>:10:22)"),
    ] {
        let world = world(&CHART);
        world.write(".git/config", "secret: 1\n");
        world.write("apps/shop/templates/\u{202e}.yaml", "");
        let rendered = RENDERED.replace("shop/templates/job.yaml", name);
        world.tool("helm", &format!("/bin/cat <<'END'\n{rendered}END"));
        let output = at_root(&world, &["check", "--plugin", "apps/shop"]);
        assert!(places(&output).contains(&place.to_owned()), "{name:?} {}", output.text());
        assert!(!output.text().contains('\u{202e}'), "{name:?}");
    }
}

#[test]
fn a_template_of_megabytes_takes_no_time() {
    let world = world(&CHART);
    world.write("apps/shop/templates/large.yaml", &"kind: Job\n---\n".repeat(800_000));
    let most = RENDERED.replace("templates/job.yaml", "templates/large.yaml").repeat(300);
    world.write("rendered", &most);
    world.tool("helm", &format!("/bin/cat '{}'", world.root().join("rendered").display()));
    let begin = Instant::now();
    let output = at_root(&world, &["check", "--plugin", "apps/shop"]);
    assert!(
        places(&output).iter().any(|place| place.starts_with("apps/shop/templates/large.yaml (")),
        "{}",
        output.text()
    );
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

/// With the real tools: annotations and comments that a user has written do not count as origins.
#[test]
fn origins_are_the_tools_and_not_the_users() {
    let (Some(helm), Some(kustomize)) = (switches::tool("helm"), switches::tool("kustomize")) else { return };
    let own = "  annotations: {config.kubernetes.io/origin: \"path: /etc/passwd\"}\n";
    let job = |name: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n{own}  name: {name}\nspec:\n  template:\n    spec:\n      restartPolicy: Always\n      containers: [{{name: a, image: \"x:1\"}}]\n"
        )
    };
    let world = world(&CHART);
    world.real("helm", &helm);
    world.real("kustomize", &kustomize);
    let file = |path: &str, text: &str| world.write(path, text);
    // A template that prints such a comment itself; a sub-chart outside of the chart; several CRDs in one file.
    file(
        "apps/shop/templates/job.yaml",
        &format!("# Source: shop/Chart.yaml\n{}---\n# Source: shop/Chart.yaml\n{}", job("one"), job("two")),
    );
    file(
        "apps/shop/Chart.yaml",
        "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies: [{name: base, version: 0.1.0, repository: \"file://../library\"}]\n",
    );
    file("apps/library/Chart.yaml", "apiVersion: v2\nname: base\nversion: 0.1.0\n");
    file("apps/library/templates/job.yaml", &job("three"));
    file("apps/shop/crds/crd.yaml", &format!("{}---\n{}", job("four"), job("five")));
    let found = places(&at_root(&world, &["check", "--plugin", "apps/shop"]));
    let expected = [
        "apps/library/templates/job.yaml:9:22",
        "apps/shop/crds/crd.yaml:20:22",
        "apps/shop/crds/crd.yaml:9:22",
        "apps/shop/templates/job.yaml:10:22",
        "apps/shop/templates/job.yaml:22:22",
    ];
    assert_eq!(found, expected);

    file(
        "k/kustomization.yaml",
        "resources: [job.yaml]\ncomponents: [../component]\nnameSuffix: -x\nbuildMetadata: [originAnnotations]\n",
    );
    file("k/job.yaml", &job("one"));
    file(
        "component/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [other.yaml]\n",
    );
    file("component/other.yaml", &job("two"));
    let before = world.snapshot();
    let found = places(&at_root(&world, &["check", "--plugin", "k"]));
    assert_eq!(found, ["component/other.yaml:9:22", "k/job.yaml:9:22"]);
    let found = places(&at_root(&world, &["check", "--plugin", "component"]));
    assert_eq!(found, ["component/other.yaml:9:22"]);
    assert_eq!(world.snapshot(), before);
}
