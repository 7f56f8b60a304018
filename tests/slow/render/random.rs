//! A chart with functions that return a different value each time is rendered twice, and the differences do not count
//! as changes.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::fake::World;
use crate::support::program::{Output, run};
use crate::support::scratch::commit;
use crate::support::switches;

const CHART: (&str, &str) = ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");

const SECRET: (&str, &str) = (
    "shop/templates/secret.yaml",
    "{{- $ca := genCA \"shop\" 365 }}
apiVersion: v1
kind: Secret
metadata: {name: shop}
data:
  password: {{ include \"shop.password\" . }}
  ca.crt: {{ $ca.Cert | b64enc }}
stringData:
  ca.key: |
{{ $ca.Key | indent 4 }}
",
);

/// The usual way in which charts keep a password. In `helm template`, `lookup` finds nothing.
const HELPER: (&str, &str) = (
    "shop/templates/_helpers.tpl",
    "{{- define \"shop.password\" -}}
{{- $old := lookup \"v1\" \"Secret\" .Release.Namespace \"shop\" -}}
{{- if $old }}{{ index $old.data \"password\" }}{{ else }}{{ randAlphaNum 16 | b64enc }}{{ end -}}
{{- end -}}
",
);

fn job(name: &str, value: &str) -> String {
    format!(
        "---
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: a
          image: shop:1.4
          env:
            - name: A
              value: {value}
"
    )
}

fn world(files: &[(&str, &str)]) -> World {
    World::new(&files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(), false)
}

fn at_root(world: &World, arguments: &[&str]) -> Output {
    let mut command = world.command("", &BTreeMap::new());
    command.args(arguments);
    run(command, b"")
}

/// How often a subcommand calls a fake helm.
fn renderings(files: &[(&str, &str)], subcommand: &str) -> usize {
    let world = world(&[&[CHART], files].concat());
    let output = at_root(&world, &[subcommand, "shop"]);
    assert_eq!(output.stderr, "");
    world.calls().matches("helm template").count()
}

#[test]
fn only_a_chart_with_such_a_function_is_rendered_twice() {
    for (text, wanted) in [
        ("a: b # now rand uuid\n", 1),
        ("a: {{ .Values.a }} # now\n", 1),
        ("{{/* randAlphaNum 5 */}}a: {{ derivePassword 1 \"long\" \"a\" \"b\" \"c\" }}\n", 1),
        ("a: {{ lookup \"v1\" \"Secret\" \"a\" \"b\" }}\n", 1),
        ("a: {{ randAlphaNum 5 }}\n", 2),
        ("a: {{ (genSelfSignedCert \"a\" nil nil 365).Cert }}\n", 2),
        ("a: {{ .a | encryptAES \"b\" }}\n", 2),
        ("a: {{ shuffle \"abc\" }}\n", 2),
        ("a: {{ now }}\n", 3),
    ] {
        assert_eq!(renderings(&[("shop/templates/a.yaml", text)], "check"), wanted, "{text}");
    }
    let random = "a: {{ randAlphaNum 5 }}\n";
    assert_eq!(renderings(&[("shop/templates/a.yaml", random)], "generate"), 1);
    for path in ["shop/values.yaml", "shop/templates/_a.tpl", "shop/charts/db/templates/a.yaml"] {
        assert_eq!(renderings(&[(path, random)], "preview"), 2, "{path}");
    }
}

/// Packs a sub-chart.
fn pack(world: &World, files: &[(&str, &str)]) {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    let packed = archive.into_inner().unwrap().finish().unwrap();
    std::fs::File::create(world.root().join("shop/charts/db-1.0.0.tgz")).unwrap().write_all(&packed).unwrap();
}

#[test]
fn a_packed_chart_that_reads_the_clock_is_rendered_on_another_day() {
    let Some(helm) = switches::tool("helm") else { return };
    let world = world(&[CHART, ("shop/charts/.keep", "")]);
    let long = format!("db/templates/{}.yaml", "long-".repeat(30));
    let jobs = [job("date-{{ now | date \"20060102\" }}", "a"), job("same", "{{ .Release.Name }}")];
    let chart = CHART.1.replace("shop", "db");
    pack(&world, &[("db/Chart.yaml", &chart), ("db/values.yaml", "a: now\n"), (&long, &jobs.concat())]);
    world.real("helm", &helm);
    let text = at_root(&world, &["check", "--plugin", "shop", "--all"]).text();
    assert!(text.contains("error[random-value]: `metadata.name` differs on another day"), "{text}");
    assert_eq!(text.matches("[random-value]").count(), 1, "{text}");
}

#[test]
fn a_packed_chart_is_read_too() {
    for (text, wanted) in [("a: {{ .Values.a }}\n", 1), ("a: {{ uuidv4 }}\n", 2), ("a: {{ now }}\n", 3)] {
        let world = world(&[CHART, ("shop/charts/.keep", "")]);
        pack(&world, &[("db/templates/a.yaml", text)]);
        assert_eq!(at_root(&world, &["check", "--plugin", "shop"]).stderr, "");
        assert_eq!(world.calls().matches("helm template").count(), wanted, "{text}");
    }
}

#[test]
fn a_chart_that_is_rendered_once_and_fails_then_is_an_error() {
    let world = world(&[CHART, ("shop/templates/a.yaml", "a: {{ randAlphaNum 5 }}\n")]);
    let once = world.whole().join("once");
    let first = format!(
        "[ -e '{0}' ] && echo 'Error: a second time' >&2 && exit 1; : > '{0}'; {1}",
        once.display(),
        "printf 'kind: A\\n'"
    );
    world.tool("helm", &first);
    let output = at_root(&world, &["check", "--plugin", "shop"]);
    assert!(output.stderr.contains("a second time"), "{}", output.stderr);
}

#[test]
fn a_job_that_differs_is_an_error_at_its_template_line() {
    let Some(helm) = switches::tool("helm") else { return };
    let jobs = [
        job("content", "{{ randAlphaNum 12 | quote }}"),
        job("name-{{ randAlphaNum 6 | lower }}", "a"),
        job("date-{{ now | date \"20060102\" }}", "a"),
        job("helper", "{{ include \"shop.password\" . | quote }}"),
        job("same", "{{ .Release.Name | quote }}"),
    ];
    let jobs = jobs.concat();
    let world = world(&[CHART, SECRET, HELPER, ("shop/templates/jobs.yaml", &jobs)]);
    world.real("helm", &helm);
    let output = at_root(&world, &["check", "--plugin", "shop", "--all"]);
    let text = output.text();
    let found: Vec<&str> = text.lines().filter(|line| line.contains("[random-value]")).collect();
    let message = |line: usize, column: usize, path: &str, differs: &str| {
        format!(
            "shop/templates/jobs.yaml:{line}:{column}: error[random-value]: `{path}` {differs}: each such rendering makes another Job of it, which runs"
        )
    };
    let each = "differs at every rendering";
    let value = "spec.template.spec.containers[0].env[0].value";
    let wanted = [
        message(15, 22, value, each),
        message(20, 9, "metadata.name", each),
        message(35, 9, "metadata.name", "differs on another day"),
        message(60, 22, value, each),
    ];
    assert_eq!(found, wanted, "{text}");
    assert!(!text.contains("unstable-name"), "{text}");
    assert!(text.contains("help: give the Job a name that stays"), "{text}");
    // No random value is printed, so the output is the same.
    assert_eq!(at_root(&world, &["check", "--plugin", "shop", "--all"]).text(), text);

    let as_written = at_root(&world, &["check", "shop", "--all", "--plugin=false"]).text();
    let first = "jobs.yaml:15:22: error[random-value]: `spec.template.spec.containers[0].env[0].value` differs at every rendering: \
                 once it has run, every sync fails with `field is immutable`";
    assert!(as_written.contains(first), "{as_written}");
    assert_eq!(as_written.matches("[immutable-fields]").count(), 1, "{as_written}");
}

#[test]
fn a_hook_with_a_random_name_piles_up() {
    let Some(helm) = switches::tool("helm") else { return };
    let hook = "annotations: {argocd.argoproj.io/hook: PostSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation}\nspec:\n";
    let pod = |name: &str, env: &str| {
        let annotations = hook.replace("\nspec:\n", "");
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  {annotations}\nspec:\n  restartPolicy: Never\n  containers: [{{name: a, image: 'shop:1.4', env: [{{name: A, value: {env}}}]}}]\n"
        )
    };
    let hooks = job("job-{{ randAlphaNum 5 | lower }}", "a")
        .replace("spec:\n  template", &format!("  {hook}  template"))
        + &pod("pod-{{ randAlphaNum 5 | lower }}", "a")
        + &pod("day-{{ now | date \"20060102\" }}", "a")
        + &pod("same", "{{ uuidv4 }}");
    let world = world(&[CHART, ("shop/templates/hooks.yaml", &hooks)]);
    world.real("helm", &helm);
    let text = at_root(&world, &["check", "shop", "--all"]).text();
    let found: Vec<&str> = text.lines().filter(|line| line.contains("[hook-piles-up]")).collect();
    let message = |line: usize, all: &str| {
        format!(
            "shop/templates/hooks.yaml:{line}:9: warning[hook-piles-up]: the name of this hook differs at every rendering: hooks are never pruned, so the {all} with old names stay"
        )
    };
    let dated = message(30, "hooks").replace("at every rendering", "on another day");
    assert_eq!(found, [message(5, "Jobs"), message(21, "hooks"), dated], "{text}");
    let help =
        "help: give the hook a name that stays: each sync then deletes the old one, and creates and runs it again";
    assert!(text.contains(help), "{text}");
    assert!(
        text.contains("[random-value]: `metadata.name` differs at every rendering: it then runs under another name"),
        "{text}"
    );
}

#[test]
fn what_differs_at_every_rendering_is_not_blamed_on_a_change() {
    let Some(helm) = switches::tool("helm") else { return };
    let jobs = job("seed", "{{ uuidv4 }}") + &job("same", "a");
    let world = world(&[CHART, SECRET, HELPER, ("shop/templates/jobs.yaml", &jobs)]);
    world.real("helm", &helm);
    let git = std::env::split_paths(&switches::path()).map(|dir| dir.join("git")).find(|git| git.exists());
    world.real("git", &git.unwrap());
    std::fs::remove_dir_all(world.root().join(".git")).unwrap();
    commit(&world.root());
    let preview = || {
        let output = at_root(&world, &["preview", "--plugin", "shop", "--base", "HEAD"]);
        assert_eq!(output.stderr, "");
        output.text()
    };
    let text = preview();
    let row = "seed    runs, as seed-k52hmk57cc  at every rendering, because it differs each time (shop/templates/jobs.yaml:15:22)\n";
    assert!(text.contains(row) && !text.contains("same"), "{text}");
    let starts = "Starts on merge if auto-sync is on, as with every commit: ";
    assert!(text.contains(starts) && text.contains("Secret shop differs at every rendering"), "{text}");
    assert_eq!(preview(), text);

    world.write("shop/templates/jobs.yaml", &jobs.replace("value: a", "value: b"));
    let text = preview();
    assert!(text.contains("same  ") && text.contains("runs again, as same-"), "{text}");
}

#[test]
fn generate_warns_of_what_it_reads_and_refuses_if_it_is_told_to() {
    let Some(helm) = switches::tool("helm") else { return };
    let jobs = job("helper", "{{ include \"shop.password\" . | quote }}");
    let world = world(&[
        CHART,
        SECRET,
        HELPER,
        ("shop/templates/jobs.yaml", &jobs),
        ("shop/templates/same.yaml", &job("same", "{{ .Release.Name }}")),
        ("shop/templates/not.yaml", &job("not", "{{ if false }}{{ uuidv4 }}{{ end }}")),
    ]);
    world.real("helm", &helm);
    let generate = |arguments: &[&str]| at_root(&world, &[&["generate", "shop"], arguments].concat());
    let warned = generate(&[]);
    assert_eq!(warned.text().matches("kind: Job").count(), 3);
    let line = |file: &str, function: &str, at: &str| {
        format!(
            "shop/templates/{file}: warning: the Job may differ at every rendering, because of `{function}` (shop/templates/{at})"
        )
    };
    let wanted = [line("jobs.yaml", "randAlphaNum", "_helpers.tpl:3:60"), line("not.yaml", "uuidv4", "not.yaml:15:39")];
    let lines: Vec<&str> = warned.stderr.lines().filter(|line| !line.starts_with("help: ")).collect();
    assert_eq!(lines, wanted);

    let refused = generate(&["--set=allow-random=false"]);
    assert_eq!(refused.text(), "");
    assert!(
        refused.stderr.contains("Job `helper` differs at every rendering, which `allow-random: false` refuses"),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.stderr.matches("differs at every rendering").count(), 1, "{}", refused.stderr);

    // A Secret is no Job, and its random value is not replaced by a word.
    world.write("shop/templates/jobs.yaml", &job("plain", "a"));
    let allowed = generate(&["--set=allow-random=false"]);
    assert_eq!(allowed.stderr, "");
    assert!(!allowed.text().contains("random"), "{}", allowed.text());

    world.write("shop/templates/jobs.yaml", &job("date", "{{ now | date \"2006\" | quote }}"));
    let dated = generate(&["--set=allow-random=false"]);
    assert!(dated.stderr.contains("Job `date` differs"), "{}", dated.stderr);
}

#[test]
fn charts_of_a_kustomization_are_rendered_again_too() {
    let (Some(helm), Some(kustomize)) = (switches::tool("helm"), switches::tool("kustomize")) else { return };
    let jobs = job("seed", "{{ uuidv4 }}") + &job("date-{{ now | date \"2006\" }}", "a") + &job("same", "a");
    let world = world(&[
        ("app/kustomization.yaml", "helmCharts: [{name: shop, releaseName: shop}]\n"),
        ("app/charts/shop/Chart.yaml", CHART.1),
        ("app/charts/shop/values.yaml", ""),
        ("app/charts/shop/templates/jobs.yaml", &jobs),
    ]);
    world.real("helm", &helm);
    world.real("kustomize", &kustomize);
    let environment = [("ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS".to_owned(), "--enable-helm".to_owned())].into();
    let mut command = world.command("", &environment);
    command.args(["check", "--plugin", "app", "--all"]);
    let text = run(command, b"").text();
    assert!(text.contains("env[0].value` differs at every rendering: "), "{text}");
    assert!(text.contains("`metadata.name` differs on another day: "), "{text}");
    assert_eq!(text.matches("[random-value]").count(), 2, "{text}");
}

#[test]
fn a_random_secret_in_the_hash_of_a_job_makes_the_job_random() {
    let Some(helm) = switches::tool("helm") else { return };
    let env = "env:\n            - name: A\n              value: a\n";
    let from = "envFrom: [{secretRef: {name: shop}}]\n";
    let jobs = job("uses", "a").replace(env, from) + &job("same", "a");
    let world = world(&[CHART, SECRET, HELPER, ("shop/templates/jobs.yaml", &jobs)]);
    world.real("helm", &helm);
    let check = |more: &[&str]| at_root(&world, &[&["check", "--plugin", "shop", "--all"], more].concat()).text();
    let text = check(&["--hash-references"]);
    let wanted = "Secret `shop`, whose data is part of the Job's hash (`hash-references`), differs at every rendering: each such rendering makes \
                  another Job of it, which runs";
    assert!(text.contains(wanted), "{text}");
    assert_eq!(text.matches("[random-value]").count(), 1, "{text}");
    assert_eq!(check(&[]).matches("[random-value]").count(), 0);
    let preview = at_root(&world, &["preview", "--plugin", "shop", "--hash-references"]).text();
    assert!(
        preview.contains("at every rendering") && preview.contains("it differs each time (shop/templates/secret.yaml:"),
        "{preview}"
    );
}
