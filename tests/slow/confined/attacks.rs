//! Tries published vulnerabilities of kustomize, and hostile templates, with the real helm and kustomize.

use std::fs;
use std::path::{Path, PathBuf};

use confined::{Confinement, Ended, Failure, Network, PrivateDir, Program, Status, go_memory_limit, run_confined};
use render::wrappers;

use super::{free, os, write_script};
use crate::support::scratch::Scratch;
use crate::support::switches;

const GIBIBYTE: u64 = 1 << 30;

/// The `Chart.yaml` of a chart with one template.
const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

fn limits(network: Network) -> Confinement {
    Confinement { memory: Some(GIBIBYTE), network, ..free() }
}

/// Runs a tool in the source directory, with a private directory for the files that it writes.
fn run(tool: PathBuf, arguments: &[&str], scratch: &Scratch, confinement: &Confinement) -> Result<Ended, Failure> {
    let private = PrivateDir::new(&switches::program(), &scratch.source().join("..")).unwrap();
    let below = |name: &str| {
        let dir = private.path().unwrap().join(name);
        fs::create_dir(&dir).unwrap();
        dir
    };
    let git = std::env::split_paths(&switches::path()).map(|dir| dir.join("git")).find(|path| path.exists());
    let helm = tool.with_file_name("helm");
    let real = fs::canonicalize(scratch.source()).unwrap();
    let mut environment =
        wrappers::install(&below("programs"), &switches::program(), git.as_deref(), Some(&helm), &[&real]).unwrap();
    environment.extend([
        ("HOME".into(), below("user").into()),
        ("TMPDIR".into(), below("files").into()),
        go_memory_limit(GIBIBYTE),
    ]);
    let program = Program { path: tool, arguments: os(arguments), environment, dir: scratch.source() };
    run_confined(&program, confinement)
}

fn stderr(ended: &Ended) -> String {
    String::from_utf8_lossy(&ended.stderr).into_owned()
}

#[test]
fn a_repository_cannot_run_a_program_through_kustomize() {
    let Some(kustomize) = switches::tool("kustomize") else { return };
    let scratch = Scratch::new();
    scratch.write("charts/web/Chart.yaml", CHART);
    scratch.write("charts/web/values.yaml", "");
    scratch.write("charts/web/templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    let source = scratch.source();
    let touched = source.join("touched");
    let touch = write_script(&source.join("touch-it"), &format!("cat; echo x >'{}'", touched.display()));
    let plugin = "name: evil\nversion: 1.0.0\nusage: x\ndescription: x\ncommand: /bin/true\ndownloaders:\n- {command: run, protocols: [evil]}\n";
    let plugin = scratch.write("config/.data/plugins/evil/plugin.yaml", plugin);
    fs::copy(&touch, plugin.with_file_name("run")).unwrap();
    let (touch, source) = (touch.display(), source.display());
    let chart = |fields: &str| format!("helmCharts: [{{name: web, {fields}}}]\n");
    for (kustomization, message) in [
        (
            chart("releaseName: '--post-renderer={touch}'").replace("{touch}", &touch.to_string()),
            "helm wrapper: `--post-renderer=",
        ),
        (chart("nameTemplate: '{{ env \"HOME\" }}'"), "helm wrapper: a `nameTemplate` with `env`"),
        (
            format!(
                "helmGlobals: {{configHome: '{source}/config'}}\nhelmCharts: [{{name: other, repo: 'evil://x', version: 1.0.0}}]\n"
            ),
            "could not find protocol handler for: evil",
        ),
        (
            format!("resources: ['https://127.0.0.1:1/a/b?ref=--upload-pack={touch}']\n"),
            "is an option, refusing (see GHSA-9v9p-x54c-58gc)",
        ),
        (format!("resources: ['file://{source}//x?ref=main']\n"), "transport 'file' not allowed"),
    ] {
        scratch.write("kustomization.yaml", &kustomization);
        let arguments = ["build", ".", "--enable-helm"];
        let ended = run(kustomize.clone(), &arguments, &scratch, &limits(Network::Allowed)).unwrap();
        assert!(ended.status != Status::Exited(0) && stderr(&ended).contains(message), "{kustomization}{ended:?}");
        assert!(!touched.exists(), "{kustomization}");
    }
    scratch.write(
        "kustomization.yaml",
        chart("releaseName: x, apiVersions: [a/v1], kubeVersion: '1.30', skipTests: true"),
    );
    let ended = run(kustomize, &["build", ".", "--enable-helm"], &scratch, &limits(Network::Denied)).unwrap();
    assert_eq!(ended.status, Status::Exited(0), "{}", stderr(&ended));
}

#[test]
fn helm_works_within_its_limits_and_no_further() {
    let Some(helm) = switches::tool("helm") else { return };
    let scratch = Scratch::new();
    scratch.write("Chart.yaml", CHART);
    let render = |template: &str| {
        scratch.write("templates/a.yaml", template);
        run(helm.clone(), &["template", "x", "."], &scratch, &limits(Network::Denied))
    };
    let many: String = (0..500).map(|n| format!("---\nkind: ConfigMap\nmetadata: {{name: a{n}}}\n")).collect();
    assert_eq!(render(&many).unwrap().status, Status::Exited(0));
    // The last template reached 1.7 times the limit of a process, in a single step.
    for template in [
        "{{ range until 100000000 }}abcdefghijklmnop\n{{ end }}",
        "{{ repeat 1000000000 \"x\" }}",
        "{{ $x := repeat 400000000 \"x\" }}{{ $x = print $x $x }}{{ len $x }}",
    ] {
        let ended = render(template);
        let is_out = match &ended {
            Ok(ended) => ended.ran_out_of_memory(),
            Err(failure) => matches!(failure, Failure::TooMuchMemory),
        };
        assert!(is_out, "{template}: {ended:?}");
    }
    let left: Vec<_> = fs::read_dir(scratch.source().join("..")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.iter().all(|path| Path::new(path).ends_with("source") || path.ends_with(".git")), "{left:?}");
}
