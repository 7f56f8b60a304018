//! How the tools end, and that they leave nothing behind: no process, no file, no process that holds our standard
//! output.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use super::fake::World;
use super::hostile::trap::survivors;
use crate::support::program::Output;
use crate::support::switches;

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
const TEMPLATE: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.name }}}\ndata: {a: {{ repeat 1000 \"x\" }}}\n";

/// A chart in `chart` and a kustomization in `app`.
fn world(is_request: bool) -> World {
    let files = [
        ("chart/Chart.yaml", CHART),
        ("chart/values.yaml", "name: from-helm\n"),
        ("chart/templates/a.yaml", TEMPLATE),
        ("app/kustomization.yaml", "resources: [a.yaml]\n"),
        ("app/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-kustomize}\n"),
    ];
    World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), is_request)
}

fn environment(more: &[(&str, &str)]) -> BTreeMap<String, String> {
    let usual = [("ARGOCD_APP_NAME", "shop"), ("ARGOCD_JOBS_TRIGGER", "false")];
    usual.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The result of a run with a fake helm that runs this script.
fn with_helm(script: &str, more: &[(&str, &str)]) -> Output {
    let world = world(true);
    world.tool("helm", script);
    let output = world.generate("chart", &environment(more));
    assert_eq!(world.leftovers(), Vec::<PathBuf>::new(), "{script}");
    // A child of the tool finds its output closed, or ends by itself.
    soon(|| survivors(world.whole()).is_empty());
    output
}

#[test]
fn the_message_names_the_command_and_how_it_ended() {
    let hang = "trap '' TERM; while :; do /bin/sleep 0.1; done";
    for (script, message) in [
        ("exec /bin/sleep 60", "`helm template` took longer than 1 s\nhelp: the limit is set by"),
        (hang, "`helm template` took longer than 1 s\n"),
        ("exec /usr/bin/yes", "`helm template` printed more than 100 MiB\n"),
        ("/usr/bin/yes error | /usr/bin/head -c 20000000 >&2; exit 3", "error\nerror\n"),
        ("kill -SEGV $$", "`helm template` failed: it was killed by signal 11"),
        ("kill -KILL $$", "`helm template` ran out of memory; its limit is 512 MiB\nhelp: "),
        ("exit 7", "`helm template` failed: exit status 7, without a message"),
        (
            "echo 'runtime: out of memory' >&2; exit 2",
            "`helm template` ran out of memory; its limit is 512 MiB\nhelp: ",
        ),
        (
            "printf 'panic: x\\n\\ngoroutine 1 [running]:\\nmain.main()\\n' >&2; exit 2",
            "`helm template` failed: panic: x\n",
        ),
    ] {
        let start = Instant::now();
        // Only the runs that hang reach this limit.
        let seconds = if message.contains("1 s") { "1" } else { "60" };
        let output =
            with_helm(script, &[("ARGOCD_JOBS_RENDER_TIMEOUT", seconds), ("ARGOCD_JOBS_RENDER_MEMORY", "512")]);
        assert!(output.status == Some(2) && output.stdout.is_empty(), "{script} {:?}", output.status);
        assert!(output.stderr.contains(message), "{script}\n{}", output.stderr);
        assert!(output.stderr.len() < 6000 && !output.stderr.contains("goroutine"), "{script}\n{}", output.stderr);
        assert!(start.elapsed() < Duration::from_secs(30), "{script} {:?}", start.elapsed());
    }
}

/// Waits until a condition holds; returns the time it took.
fn soon(holds: impl Fn() -> bool) -> Duration {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "it does not happen");
        thread::sleep(Duration::from_millis(5));
    }
    start.elapsed()
}

/// Argo CD's cmp-server waits for every process that holds the plugin's standard output.
#[test]
fn a_plugin_that_is_killed_leaves_nothing() {
    let hang =
        "trap '' TERM HUP; echo x >\"$TMPDIR/file\"; echo $$ >\"${0%/*}/../pid\"; while :; do /bin/sleep 0.05; done";
    for (dir, options, signal) in [
        ("chart", "", "KILL"),
        ("chart", "", "TERM"),
        ("app", "", "KILL"),
        ("app", "--enable-helm", "KILL"),
        ("app", "--enable-helm", "TERM"),
    ] {
        let world = world(true);
        world.tool("helm", hang);
        // kustomize calls helm through our wrapper.
        let below = format!("helm template x '{}'; exit 1", world.root().join("chart").display());
        world.tool("kustomize", if options.is_empty() { hang } else { &below });
        let mut command = world.command(dir, &environment(&[("ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS", options)]));
        let mut plugin: Child = command.arg("generate").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        soon(|| world.whole().join("pid").exists());
        assert_eq!(world.leftovers().len(), 1);
        let kill = Command::new("kill").args([&format!("-{signal}"), &plugin.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let mut stdout = plugin.stdout.take().unwrap();
        let reader = thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        plugin.wait().unwrap();
        let gone = soon(|| survivors(world.whole()).is_empty() && reader.is_finished() && world.leftovers().is_empty());
        // On an idle machine it takes a second.
        assert!(gone < Duration::from_secs(5), "{dir} {options} {signal}: {gone:?}");
    }
}

/// The output of this many simultaneous runs of `generate`, which must be the same.
fn at_once(world: &World, count: usize) -> String {
    let environment = environment(&[("ARGOCD_JOBS_HELM_VALUES", "mine: x")]);
    let start = |_| {
        let mut command = world.command("chart", &environment);
        command.arg("generate").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..count).map(start).collect();
    let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    for output in &outputs {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.stdout, outputs[0].stdout);
    }
    assert_eq!(world.leftovers(), Vec::<PathBuf>::new());
    String::from_utf8(outputs[0].stdout.clone()).unwrap()
}

#[test]
fn many_renders_at_once_do_not_meet() {
    let world = world(true);
    // Each run has its own values file and its own helm cache: a shared cache would make a run fail.
    let script = "for last; do case $before in --values) values=$last ;; esac; before=$last; done
        test ! -e \"$HELM_CACHE_HOME/used\" || exit 1; echo x >\"$HELM_CACHE_HOME/used\"; /bin/sleep 0.1
        printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: x}\\ndata: {%s}\\n' \"$(/bin/cat \"$values\")\"";
    world.tool("helm", script);
    assert!(at_once(&world, 50).contains("mine: x"));
}

#[test]
fn many_renders_with_the_real_helm_print_the_same() {
    let Some(helm) = switches::tool("helm") else { return };
    let world = world(true);
    world.real("helm", &helm);
    assert!(at_once(&world, 50).contains("name: from-helm"));
}

#[test]
fn a_program_in_the_repository_is_never_run() {
    let world = world(true);
    let marker = world.whole().join("marker");
    for name in ["helm", "kustomize", "git"] {
        let path = format!("chart/bin/{name}");
        world.write(&path, &format!("#!/bin/sh\n/usr/bin/touch '{}'\n", marker.display()));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(world.root().join(path), mode).unwrap();
    }
    let bin = world.root().join("chart/bin");
    // A folder outside with links into the repository.
    let links = world.whole().join("links");
    fs::create_dir(&links).unwrap();
    for name in ["helm", "kustomize"] {
        std::os::unix::fs::symlink(bin.join(name), links.join(name)).unwrap();
    }
    let path = format!("bin:.:{}:{}:{}", bin.display(), links.display(), world.tools().display());
    for (dir, name) in [("chart", "from-helm"), ("app", "from-kustomize")] {
        // kustomize would search git on its own `PATH`.
        world.tool(
            "kustomize",
            "git init; printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: from-kustomize}\\n'",
        );
        let output = world.generate(dir, &environment(&[("PATH", &path)]));
        assert!(output.text().contains(name), "{}", output.stderr);
        assert!(!marker.exists(), "{dir}");
    }
    fs::remove_file(world.tools().join("helm")).unwrap();
    let output = world.generate("chart", &environment(&[("PATH", &path)]));
    assert!(output.stderr.contains("there is no `helm` on PATH") && !marker.exists(), "{}", output.stderr);
}
