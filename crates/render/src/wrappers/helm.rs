//! The calls of helm that kustomize may make: those of its chart inflation generator, with the options that it writes
//! itself.
//!
//! The source is `api/internal/builtins/HelmChartInflationGenerator.go` and `api/types/helmchartargs.go` of kustomize
//! 5.7.1 and 5.8.1. A repository chooses these values, which are treated as follows:
//!
//! - `helmGlobals.configHome` becomes helm's directories for configuration, data and cache, where helm looks for
//!   plugins, which are programs (GHSA-fw5c-w8rc-j7fx). The directories are replaced, including the cache, as Argo CD
//!   does.
//! - `releaseName` and the name of a chart to pull become single arguments, so they can be options: `releaseName:
//!   --post-renderer=/bin/x` runs a program (kubernetes-sigs/kustomize#6241). Options are refused.
//! - `nameTemplate` is a template with the functions of sprig, among them `env` and `expandenv`. These two are
//!   refused, because the environment may contain a proxy's password.
//! - `chartHome` is a directory that helm reads and writes without asking kustomize's load restrictor. It must be in
//!   the repository, or in the directory into which kustomize clones remote bases, and so must the targets of all
//!   links in a chart.
//! - The schema of a chart can refer to files and addresses, so it is checked first (`src/helm/schemas.rs`).
//! - All other values (`repo`, `version`, `namespace`, `apiVersions`, `kubeVersion`, value files) are values of
//!   options and cannot become options.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use system::{PathText, canonical};
use walkdir::WalkDir;

use super::{Call, texts};
use crate::reading::check_chart;

/// The empty directory, relative to the directory for helm.
pub(super) const EMPTY: &str = "home";

/// The directory of caches, relative to the directory for helm.
pub(super) const CACHE: &str = "cache";

/// The commands that kustomize uses, each with its options without a value and its options with a value.
const COMMANDS: [(&str, &[&str], &[&str]); 3] = [
    // kustomize before 5.8 uses `-c`.
    ("version", &["-c", "--short"], &[]),
    ("pull", &["--untar", "--devel"], &["--untardir", "--repo", "--version"]),
    (
        "template",
        &["--generate-name", "--include-crds", "--skip-tests", "--no-hooks", "--debug", "--devel"],
        &["--namespace", NAME_TEMPLATE, "-f", "--api-versions", "--kube-version"],
    ),
];

const NAME_TEMPLATE: &str = "--name-template";

/// The call of the real helm for a call by kustomize; the error is the reason why it is refused. `home` is the
/// directory for helm; charts must be in one of the directories `within`.
pub(super) fn call(arguments: Vec<OsString>, home: &Path, within: &[PathBuf]) -> Result<Call, String> {
    let Paths { chart, target } = check(&texts(&arguments)?)?;
    if let Some(chart) = chart {
        check_place(Path::new(chart), within)?;
        check_chart(Path::new(chart))?;
    }
    if let Some(target) = target {
        // helm creates the missing part of the path.
        let there = Path::new(target).ancestors().find(|path| !is_missing(path));
        check_place(there.unwrap_or(Path::new("/")), within)?;
    }
    let empty = home.join(EMPTY);
    let environment = vec![
        ("HELM_CONFIG_HOME", empty.clone().into()),
        ("HELM_DATA_HOME", empty.clone().into()),
        ("HELM_PLUGINS", empty.join("plugins").into()),
        ("HELM_CACHE_HOME", home.join(CACHE).into()),
        ("HELM_REGISTRY_CONFIG", empty.join("registry.json").into()),
        ("HELM_REPOSITORY_CONFIG", empty.join("repositories.yaml").into()),
    ];
    Ok(Call { arguments, environment })
}

/// The paths in the arguments of a call.
#[derive(Debug, Default, PartialEq, Eq)]
struct Paths<'a> {
    /// The chart to render.
    chart: Option<&'a str>,
    /// The directory into which a chart is unpacked.
    target: Option<&'a str>,
}

fn check<'a>(arguments: &[&'a str]) -> Result<Paths<'a>, String> {
    let command = arguments.first().copied().unwrap_or_default();
    let Some((_, plain, valued)) = COMMANDS.iter().find(|(name, ..)| *name == command) else {
        return Err(format!("unrecognized 'helm {}' invocation, refusing", command.escape_debug()));
    };
    let mut paths = Paths::default();
    let mut rest = arguments[1..].iter().copied();
    while let Some(word) = rest.next() {
        if valued.contains(&word) {
            let value = rest.next().unwrap_or_default();
            if word == NAME_TEMPLATE && reads_the_environment(value) {
                return Err("a `nameTemplate` with `env` or `expandenv` reads the environment, refusing".to_owned());
            }
            if word == "--untardir" {
                paths.target = Some(value);
            }
        } else if !word.starts_with('-') {
            // The last word is the chart; the one before it is the name of the release.
            paths.chart = Some(word).filter(|_| command == "template");
        } else if !plain.contains(&word) {
            return Err(format!("`{}` is an option that kustomize does not use, refusing", word.escape_debug()));
        }
    }
    Ok(paths)
}

/// Fails when a path, or a link below it, leads out of the directories for charts, or when that cannot be determined.
fn check_place(path: &Path, within: &[PathBuf]) -> Result<(), String> {
    if is_missing(path) {
        // helm itself reports the missing file.
        return Ok(());
    }
    let is_inside = |path: &Path| within.iter().any(|allowed| path.starts_with(allowed));
    let top = canonical(path).map_err(|err| cannot_look(path, &err))?;
    if !is_inside(&top) {
        return Err("the chart is outside the repository, refusing".to_owned());
    }
    for entry in WalkDir::new(&top) {
        let entry = entry.map_err(|err| cannot_look(&top, &io::Error::from(err)))?;
        if !entry.path_is_symlink() {
            continue;
        }
        let below = entry.path().strip_prefix(&top).unwrap_or(entry.path());
        let target = canonical(entry.path()).map_err(|err| cannot_look(below, &err))?;
        if !is_inside(&target) {
            return Err(format!("the symlink `{}` leads out of the repository, refusing", below.shown()));
        }
    }
    Ok(())
}

/// Whether nothing exists at this path. A symlink to nothing does exist.
fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|err| err.kind() == io::ErrorKind::NotFound)
}

fn cannot_look(path: &Path, err: &io::Error) -> String {
    format!("it cannot be seen where `{}` leads ({err}), refusing", path.shown())
}

/// Whether a template names a function that reads the environment. A template can name a function in no other way.
/// The word counts outside of the braces, too, because a string may contain braces.
fn reads_the_environment(template: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let words = template.split(|char| !is_part(char));
    template.contains("{{") && words.into_iter().any(|word| matches!(word, "env" | "expandenv"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const CHART: &str = "/tmp/x/charts/web";

    #[test]
    fn a_place_that_cannot_be_seen_is_refused() {
        let root = canonical(std::env::temp_dir()).unwrap().join(format!("argocd-jobs-place-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let within = [root.join("repository")];
        let chart = within[0].join("chart");
        fs::create_dir_all(chart.join("templates")).unwrap();
        let linked = |target: &str| {
            let link = chart.join("templates/a.yaml");
            let _ = fs::remove_file(&link);
            symlink(target, link).unwrap();
            check_place(&chart, &within)
        };

        assert_eq!(
            linked("../Chart.yaml"),
            Err("it cannot be seen where `templates/a.yaml` leads (No such file or directory (os error 2)), refusing"
                .to_owned())
        );
        assert!(linked("a.yaml").unwrap_err().contains("`templates/a.yaml` leads ("));
        fs::write(chart.join("Chart.yaml"), "").unwrap();
        assert_eq!(linked("../Chart.yaml"), Ok(()));
        fs::write(root.join("foreign"), "").unwrap();
        assert_eq!(
            linked("../../../foreign"),
            Err("the symlink `templates/a.yaml` leads out of the repository, refusing".to_owned())
        );

        symlink(root.join("later"), within[0].join("link")).unwrap();
        assert!(check_place(&within[0].join("link"), &within).unwrap_err().starts_with("it cannot be seen where"));
        assert_eq!(check_place(&within[0].join("missing"), &within), Ok(()));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_kustomize_asks_for_is_done() {
        for words in [
            &["version", "--short"][..],
            &["version", "-c", "--short"],
            &[
                "pull",
                "--untar",
                "--untardir",
                "/tmp/x/charts",
                "--repo",
                "https://example.com",
                "web",
                "--version",
                "1.0.0",
            ],
            &["pull", "--untar", "--untardir", "/tmp/x/charts", "oci://example.com/web", "--devel"],
            &["template", "--generate-name", CHART, "-f", "/tmp/values.yaml"],
            &[
                "template",
                "web",
                CHART,
                "--namespace",
                "-",
                "--api-versions",
                "--post-renderer=x",
                "--kube-version",
                "1.30",
            ],
            &["template", "web", CHART, "--include-crds", "--skip-tests", "--no-hooks", "--debug", "--devel"],
            &["template", "--generate-name", CHART, NAME_TEMPLATE, "prod_environment-{{ randAlpha 5 | lower }}"],
            &["template", "--generate-name", CHART, NAME_TEMPLATE, "env"],
        ] {
            assert!(check(words).is_ok(), "{words:?}");
        }
    }

    #[test]
    fn what_a_repository_could_smuggle_in_is_refused() {
        for words in [
            &["template", "--post-renderer=/bin/x", CHART][..],
            &["template", "--post-renderer", CHART],
            &["template", "--values=/etc/x", CHART],
            &["template", "-f/etc/x", CHART],
            &["template", "--set-file=a=/etc/x", CHART],
            &["template", "--kubeconfig=/x", CHART],
            &["template", "--validate", CHART],
            &["template", "--untardir", CHART],
            &["template", "--", CHART],
            &["pull", "--untar", "--untardir", "/tmp/x", "--repo", "https://example.com", "--ca-file=/x"],
            &["pull", "--untar", "--keyring=/x", "web"],
            &["version", "--template={{ . }}"],
        ] {
            assert!(check(words).unwrap_err().contains("is an option that kustomize does not use"), "{words:?}");
        }
        for words in [&[][..], &["plugin", "install", "x"], &["--debug", "template"], &["install", "a", "b"], &["env"]]
        {
            assert!(check(words).unwrap_err().starts_with("unrecognized 'helm "), "{words:?}");
        }
        for template in [
            "{{ env \"HOME\" }}",
            "{{env`A`}}",
            "{{ \"$HOME\" | expandenv }}",
            "{{- (env \"A\") -}}",
            "x{{/**/}}{{env \"A\"}}",
        ] {
            let words = ["template", "--generate-name", CHART, NAME_TEMPLATE, template];
            assert!(check(&words).unwrap_err().contains("reads the environment"), "{template}");
        }
    }
}
