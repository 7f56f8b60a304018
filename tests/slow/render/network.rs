//! The default for the network: the plugin in Argo CD may use it, the command line may not.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;

use super::fake::World;
use crate::support::program::run;

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n\
    dependencies: [{name: lib, version: 1.0.0, repository: 'https://charts.example.com'}]\n";

/// A fake helm that first needs the dependency, and downloads it.
const WANTING: &str = "case \"$1\" in template) test -e charts/lib || { echo 'Error: found in Chart.yaml, but missing in charts/ directory: lib' >&2; exit 1; }
printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\n' ;;
dependency) /bin/mkdir -p charts/lib ;; esac";

fn world() -> World {
    let files = [("chart/Chart.yaml", CHART), ("app/kustomization.yaml", "resources: []\n")];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), false);
    world.tool("helm", WANTING);
    world
}

/// The standard error of a run.
fn told(world: &World, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let environment: BTreeMap<_, _> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut command = world.command("", &environment);
    command.args(arguments);
    run(command, b"").stderr
}

#[test]
fn only_the_plugin_uses_the_network_without_being_told() {
    let world = world();
    let plugin: &[(&str, &str)] = &[("ARGOCD_APP_NAME", "shop")];
    let refused = "chart: the dependency `lib` would be fetched from `https://charts.example.com`, but the network is not allowed\n\
                   help: run `helm dependency build` and commit the folder `charts`, or allow the network with `--network allow` \
                   (`ARGOCD_JOBS_NETWORK`)\n";
    for (arguments, environment, expected) in [
        (&["generate", "chart"][..], plugin, ""),
        (&["generate", "chart"], &[], refused),
        (&["preview", "chart"], plugin, ""),
        (&["check", "chart"], plugin, ""),
        (&["generate", "chart", "--network", "never"], plugin, refused),
        (&["generate", "chart"], &[("ARGOCD_APP_NAME", "shop"), ("ARGOCD_JOBS_NETWORK", "never")], refused),
        (&["preview", "chart", "--network", "allow"], &[], ""),
        (&["preview", "chart"], &[("ARGOCD_JOBS_NETWORK", "allow")], ""),
        (&["preview", "chart", "--network", "never"], &[("ARGOCD_JOBS_NETWORK", "allow")], ""),
    ] {
        assert_eq!(told(&world, arguments, environment), expected, "{arguments:?} {environment:?}");
    }
    // An empty chart stands in for the dependency.
    let world = self::world();
    assert_eq!(told(&world, &["check", "chart"], &[]), "");
    assert!(
        world.calls().contains("helm template") && !world.calls().contains("dependency build"),
        "{}",
        world.calls()
    );
}

#[test]
fn an_error_for_want_of_the_network_says_how_to_allow_it() {
    let help = "\nhelp: helm and kustomize may not use the network here: commit what they would download (charts into `charts/`), or allow it with \
                `--network allow` (`ARGOCD_JOBS_NETWORK`)\n";
    // The messages that the tools, git and ssh print when they cannot create a socket.
    for said in [
        "Error: Get \"https://example.com/\": dial tcp: lookup example.com on 10.0.0.1:53: dial udp 10.0.0.1:53: socket: permission denied",
        "Error: dial tcp 192.0.2.1:443: socket: permission denied",
        "Error: failed to run 'git fetch': fatal: unable to access 'https://example.com/': Could not resolve host: example.com",
        "Error: failed to run 'git fetch': ssh: Could not resolve hostname example.com: Temporary failure in name resolution",
        "Error: failed to run 'git fetch': ssh: connect to host 192.0.2.1 port 22: failure",
        "Error: fatal: unable to access 'https://192.0.2.1/': Failed to connect to 192.0.2.1 port 443 after 0 ms: Couldn't connect to server",
    ] {
        let world = world();
        world.tool("kustomize", &format!("echo {} >&2; exit 1", quoted(said)));
        assert!(told(&world, &["preview", "app"], &[]).ends_with(help), "{said}");
        assert!(!told(&world, &["preview", "app", "--network", "allow"], &[]).contains("--network"), "{said}");
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
