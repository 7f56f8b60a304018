//! The surroundings of the tools: their environment, their private directories, and the tree in which they work.

#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::fake::World;
use crate::support::switches;

/// A fake tool that logs its environment.
const SHOW: &str = "{ printf '%s %s\\0' \"${0##*/}\" \"$1\"; /bin/cat /proc/$$/environ; printf '\\036'; } >>\"${0%/*}/../environments\"
case \"$1\" in template|build) printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\n' ;; esac";

/// A fake helm that first needs the dependencies of its chart.
const WANTING: &str = "case \"$1\" in template) test -e charts/lib || { echo 'Error: found in Chart.yaml, but missing in charts/ directory: lib' >&2; exit 1; } ;; \
    dependency) /bin/mkdir -p charts/lib; echo x >Chart.lock ;; esac";

/// Variables of the sidecar besides the settings: some must not reach a tool, others may.
const SIDECAR: &[(&str, &str)] = &[
    ("ARGOCD_APP_NAME", "shop"),
    ("ARGOCD_APP_NAMESPACE", "prod"),
    ("ARGOCD_APP_PROJECT_NAME", "team-a"),
    ("ARGOCD_APP_REVISION", "0123456789abcdef"),
    ("ARGOCD_ENV_X", "secret"),
    ("ARGOCD_EXEC_TIMEOUT", "1s"),
    ("ARGOCD_GIT_ASKPASS_NONCE", "nonce"),
    ("ARGOCD_JOBS_TRIGGER", "false"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("DOCKER_CONFIG", "/secret"),
    ("GIT_ASKPASS", "argocd"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_DIR", "/secret"),
    ("GIT_SSH_COMMAND", "ssh -i key"),
    ("HELM_CONFIG_HOME", "/secret"),
    ("HELM_DEBUG", "1"),
    ("HELM_KUBETOKEN", "secret"),
    ("HELM_NAMESPACE", "x"),
    ("HELM_PLUGINS", "/secret"),
    ("HELM_REGISTRY_CONFIG", "/secret"),
    ("HELM_REPOSITORY_CONFIG", "/secret"),
    ("HOME", "/secret"),
    ("HTTPS_PROXY", "http://proxy:3128"),
    ("KUBECONFIG", "/secret"),
    ("KUBERNETES_SERVICE_HOST", "10.0.0.1"),
    ("KUSTOMIZE_PLUGIN_HOME", "/opt/kustomize-plugins"),
    ("LD_PRELOAD", "/no-such-library.so"),
    ("PARAM_X", "secret"),
    ("SSL_CERT_FILE", "/etc/ssl/bundle.pem"),
    ("VAULT_TOKEN", "secret"),
    ("XDG_CONFIG_HOME", "/secret"),
    ("no_proxy", "cluster.local"),
];

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
const DEPENDENCY: &str = "dependencies: [{name: lib, version: 1.0.0, repository: 'https://example.com/charts'}]\n";

fn world(is_request: bool) -> World {
    let files = [
        ("chart/Chart.yaml", CHART.to_owned()),
        ("chart/charts/lib/README.md", String::new()),
        ("wanting/Chart.yaml", format!("{CHART}{DEPENDENCY}")),
        ("app/kustomization.yaml", "resources: [a.yaml]\n".to_owned()),
        ("app/a.yaml", "a: b\n".to_owned()),
    ];
    let world = World::new(&files.map(|(path, text)| (path.to_owned(), text)).into(), is_request);
    world.tool("helm", &format!("{SHOW}\n{WANTING}"));
    world.tool("kustomize", SHOW);
    world.tool("git", "");
    world
}

fn environment(more: &[(&str, &str)]) -> BTreeMap<String, String> {
    SIDECAR.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

const OPTIONS: &str = "ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS";

#[test]
fn the_tools_get_the_variables_on_the_list_and_no_other() {
    let mut found = String::new();
    let mut usual: Option<BTreeSet<String>> = None;
    for (case, dir, more) in [
        ("a chart", "chart", &[][..]),
        ("a chart with a values block", "chart", &[("ARGOCD_JOBS_HELM_VALUES", "a: b")]),
        ("dependencies", "wanting", &[]),
        (
            "dependencies with credentials of the platform owner",
            "wanting",
            &[("ARGOCD_JOBS_HELM_REGISTRY_CONFIG", "CONFIG"), ("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS", "team-a")],
        ),
        ("a kustomization", "app", &[("ARGOCD_JOBS_KUSTOMIZE", "namePrefix: x-")]),
        (
            "a kustomization with charts and plugins, and credentials that only charts get",
            "app",
            &[
                (OPTIONS, "--enable-helm --enable-alpha-plugins=true"),
                ("ARGOCD_JOBS_HELM_REGISTRY_CONFIG", "CONFIG"),
                ("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS", "team-a"),
            ],
        ),
        (
            "a kustomization that may read everything, its environment too",
            "app",
            &[(OPTIONS, "--load-restrictor LoadRestrictionsNone")],
        ),
    ] {
        let world = world(true);
        let config = world.whole().join("config.json");
        fs::write(&config, "{}").unwrap();
        let mut environment = environment(more);
        for value in environment.values_mut().filter(|value| *value == "CONFIG") {
            *value = config.display().to_string();
        }
        let output = world.generate(dir, &environment);
        assert_eq!(output.status, Some(0), "{case}: {}", output.stderr);
        let seen = fs::read_to_string(world.whole().join("environments")).unwrap();
        let seen =
            world.without_paths(&seen).replace(fs::canonicalize(world.whole()).unwrap().to_str().unwrap(), "BESIDE");
        found += &format!("== {case}\n");
        for call in seen.split_terminator('\u{1e}') {
            let (name, variables) = call.split_once('\0').unwrap();
            let variables: BTreeSet<String> = variables.split_terminator('\0').map(str::to_owned).collect();
            let usual = usual.get_or_insert_with(|| {
                found += &variables.iter().map(|variable| format!("{variable}\n")).collect::<String>();
                variables.clone()
            });
            let (less, more) = (usual.difference(&variables), variables.difference(usual));
            let less = less.map(|variable| format!("- {variable}\n")).collect::<String>();
            found +=
                &format!("-- {name}\n{less}{}", more.map(|variable| format!("+ {variable}\n")).collect::<String>());
        }
    }
    assert!(!found.contains("secret"), "{found}");
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/render/environments.txt");
    if switches::update() {
        return fs::write(expected, found).unwrap();
    }
    assert!(fs::read_to_string(expected).unwrap() == found, "UPDATE=1 writes what is found\n{found}");
}

#[test]
fn the_private_directories_are_private_and_outside_the_repository() {
    let script =
        "/usr/bin/stat -c '%a %n' \"${HOME%/*}\" \"$HOME\" \"$TMPDIR\" \"$HELM_PLUGINS\" >>\"${0%/*}/../modes\"";
    for is_request in [true, false] {
        let world = world(is_request);
        world.tool("helm", &format!("{script}\n{SHOW}"));
        world.tool(
            "kustomize",
            &format!("{script}\n/usr/bin/stat -c '%a %n' \"$PATH\" >>\"${{0%/*}}/../modes\"\n{SHOW}"),
        );
        for dir in ["chart", "app"] {
            assert_eq!(world.generate(dir, &environment(&[])).status, Some(0));
        }
        let modes = fs::read_to_string(world.whole().join("modes")).unwrap();
        assert_eq!(modes.lines().count(), 9);
        let root = fs::canonicalize(world.root()).unwrap();
        for line in modes.lines() {
            let (mode, path) = line.split_once(' ').unwrap();
            assert!(mode == "700" && !Path::new(path).starts_with(&root), "{line}");
        }
    }
}

#[test]
fn temporary_files_are_not_made_in_the_repository() {
    let world = world(false);
    let inside = world.root().join("chart/tmp");
    fs::create_dir(&inside).unwrap();
    let link = world.whole().join("link");
    std::os::unix::fs::symlink(&inside, &link).unwrap();
    for temporary in [&inside, &world.root(), &link] {
        let output = world.generate("chart", &environment(&[("TMPDIR", temporary.to_str().unwrap())]));
        assert!(
            output.status == Some(2) && output.stderr.contains("is in the repository, where charts could read"),
            "{}",
            output.stderr
        );
    }
    assert_eq!(world.calls(), "");
}

/// The fake tools write into their directory, as `kustomize edit`, `helm dependency build` and `kustomize build
/// --enable-helm` do.
#[test]
fn a_users_checkout_stays_as_it_is() {
    let write = "for file in *; do if test -f \"$file\"; then echo '# more' >>\"$file\"; fi; done; /bin/mkdir -p charts/x; echo x >charts/x/file";
    for is_read_only in [false, true] {
        let world = world(false);
        world.tool("kustomize", &format!("{SHOW}\n{write}"));
        world.tool("helm", &format!("{SHOW}\n{WANTING}\ncase \"$1\" in dependency) {write} ;; esac"));
        if is_read_only {
            for file in ["app/kustomization.yaml", "wanting/Chart.yaml", "app", "wanting"] {
                let mode = if file.contains('.') { 0o444 } else { 0o555 };
                fs::set_permissions(world.root().join(file), fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        let before = world.snapshot();
        for (dir, more) in [
            ("app", &[("ARGOCD_JOBS_KUSTOMIZE", "namePrefix: x-")][..]),
            (
                "app",
                &[("ARGOCD_JOBS_KUSTOMIZE", "patches: [{patch: '- {op: remove, path: /a}', target: {kind: Job}}]")],
            ),
            ("app", &[(OPTIONS, "--enable-helm")]),
            ("wanting", &[]),
        ] {
            let output = world.generate(dir, &environment(more));
            assert_eq!(output.status, Some(0), "{dir} {more:?} {}", output.stderr);
            assert_eq!(before, world.snapshot(), "{dir} {more:?}");
        }
        assert_eq!(world.leftovers(), Vec::<PathBuf>::new());
    }
}
