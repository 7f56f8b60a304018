//! Runs the program on every folder of `testdata/render/hostile`. Each must be refused or harmless: nothing may be
//! read, run, written or left over. The real helm and kustomize come from `TOOLS`; what must be refused before a tool
//! starts is tested with fake tools, too.

#![cfg(target_os = "linux")]

pub(super) mod trap;
mod wall;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};

use confined::Wall;
use goyaml::Value;

use crate::support::inputs::hold_for_all;
use crate::support::{case, landlock};
use trap::{POSITIONS, Position, Trap};

/// The expected result for a folder.
enum Expected {
    /// Refused; the message contains one of these texts, which are separated by bars.
    Refused(&'static str),
    /// Refused with this message before a tool is started.
    RefusedBefore(&'static str),
    /// Accepted; the output contains this text.
    Harmless(&'static str),
}
use Expected::{Harmless, Refused, RefusedBefore};

type Settings = &'static [(&'static str, &'static str)];

const PLAIN: Settings = &[];
const OFFLINE: Settings = &[("ARGOCD_JOBS_NETWORK", "never")];
const QUICK: Settings = &[("ARGOCD_JOBS_RENDER_TIMEOUT", "2")];
const OPTIONS: &str = "ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS";
const CHARTS: Settings = &[(OPTIONS, "--enable-helm")];
const PLUGINS: Settings = &[(OPTIONS, "--enable-alpha-plugins"), ("XDG_CONFIG_HOME", "@OUTSIDE@/../8f6c0f5e")];
const UNRESTRICTED: Settings = &[(OPTIONS, "--load-restrictor LoadRestrictionsNone")];
const UNRESTRICTED_CHARTS: Settings = &[(OPTIONS, "--load-restrictor LoadRestrictionsNone --enable-helm")];

const LIMIT: Expected = Refused("ran out of memory; its limit is 512 MiB|took longer than 2 s");
const LEADS_OUT: &str = "would read from the system or the network";
const DISABLED: Expected = Refused("such as ksops, are never run here");
const FUNCTION: Expected = RefusedBefore("contains a function");
const NO_OPTION: Expected = Refused("is an option, refusing");
const NO_NETWORK: Expected = Refused("do not use the network|helm and kustomize may not use the network here");

/// All folders except those that are run once for each of their links or blocks.
const ROWS: &[(&str, Settings, Expected)] = &[
    ("endless-template", QUICK, Refused("`helm template` took longer than 2 s")),
    ("endless-recursion", QUICK, LIMIT),
    ("flood", QUICK, LIMIT),
    ("memory-string", PLAIN, Refused("`helm template` ran out of memory; its limit is 512 MiB")),
    ("memory-list", PLAIN, Refused("`helm template` ran out of memory; its limit is 512 MiB")),
    ("reads-everything", PLAIN, Harmless("\"deep/er/file.txt: 20 bytes\"")),
    ("schema-reads-file", PLAIN, RefusedBefore(LEADS_OUT)),
    ("schema-calls-network", PLAIN, RefusedBefore(LEADS_OUT)),
    ("schema-calls-network", OFFLINE, RefusedBefore(LEADS_OUT)),
    ("schema-endless-device", PLAIN, RefusedBefore(LEADS_OUT)),
    ("dns-lookup", PLAIN, Harmless("address: \"\"")),
    ("yaml-bomb-values", PLAIN, Refused("`helm template` failed")),
    ("yaml-bomb-chart", PLAIN, Refused("`helm template` failed")),
    ("deep-values", PLAIN, Refused("`helm template` failed")),
    ("compressed-chart", PLAIN, Refused("maximum")),
    ("outside-dependency", PLAIN, RefusedBefore("is not in the repository")),
    ("climbing-dependency", PLAIN, RefusedBefore("is not in the repository")),
    ("dependency-in-lock", PLAIN, RefusedBefore("`canary` in `Chart.lock` is not in the repository")),
    ("dependency-other-letters", PLAIN, RefusedBefore("is not in the repository")),
    ("dependency-scheme-plugin", PLAIN, RefusedBefore("is from a repository that is not allowed")),
    ("dependency-scheme-git", PLAIN, RefusedBefore("is from a repository that is not allowed")),
    ("dependency-scheme-flag", PLAIN, RefusedBefore("is from a repository that is not allowed")),
    ("dependency-scheme-loopback", OFFLINE, RefusedBefore("the network is not allowed")),
    ("lock-out-of-sync", PLAIN, Refused("`Chart.lock` does not match `Chart.yaml`")),
    ("dependency-name-climbs", PLAIN, Refused("helm dependency build")),
    ("kustomize-reads-outside", PLAIN, Refused("security; file")),
    ("kustomize-reads-environment", PLAIN, Refused("security; file")),
    ("kustomize-base-cleaned", PLAIN, RefusedBefore("which is outside the repository")),
    ("kustomize-base-other-letters", PLAIN, RefusedBefore("which is outside the repository")),
    ("kustomize-function-other-letters", PLAIN, DISABLED),
    ("kustomize-function-other-letters", PLUGINS, FUNCTION),
    ("kustomize-exec-function", PLAIN, DISABLED),
    ("kustomize-exec-function", PLUGINS, FUNCTION),
    ("kustomize-exec-function", &[(OPTIONS, "--enable-exec")], RefusedBefore("--enable-exec")),
    ("kustomize-container-function", PLAIN, DISABLED),
    ("kustomize-container-function", PLUGINS, FUNCTION),
    ("kustomize-legacy-plugin", PLAIN, DISABLED),
    ("kustomize-legacy-plugin", PLUGINS, Refused("expected file with Go object code")),
    ("kustomize-upload-pack", PLAIN, NO_OPTION),
    ("kustomize-upload-pack-nested", PLAIN, NO_OPTION),
    ("kustomize-neighbour-base", PLAIN, Refused("transport 'file' not allowed")),
    ("kustomize-loopback", OFFLINE, NO_NETWORK),
    (
        "kustomize-helm-home",
        CHARTS,
        Refused("could not find protocol handler for: probe|scheme \"probe\" not supported"),
    ),
    ("kustomize-helm-flag", CHARTS, Refused("helm wrapper: `--post-renderer=./run.sh` is an option")),
    ("kustomize-helm-values-outside", CHARTS, Refused("security; file|could not load additionalValuesFile")),
    ("kustomize-helm-chart-outside", CHARTS, Refused("security; file|outside the repository|no chart found")),
    (
        "kustomize-helm-chart-outside",
        UNRESTRICTED_CHARTS,
        Refused(
            "helm wrapper: the chart is outside the repository|no chart found|values.yaml`, which is outside the repository",
        ),
    ),
    ("kustomize-cycle", PLAIN, Refused("cycle")),
    ("kustomize-doubling", QUICK, LIMIT),
    ("kustomize-yaml-bomb", QUICK, LIMIT),
];

/// The folders that other tests run.
const OTHERS: [&str; 5] = ["links", "kustomize-links", "release-name", "value-file-glob", "many-values"];

#[test]
fn every_folder_is_tried() {
    let tried: BTreeSet<String> = ROWS.iter().map(|row| row.0).chain(OTHERS).map(str::to_owned).collect();
    let entries = fs::read_dir(case::root().join("render/hostile")).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().into_string().unwrap());
    assert_eq!(tried, folders.collect());
}

#[test]
fn every_folder_is_refused_or_harmless() {
    all_are_refused_or_harmless(&POSITIONS);
}

#[test]
fn every_folder_is_refused_or_harmless_without_landlock() {
    landlock::deny();
    all_are_refused_or_harmless(&[Position::Request]);
}

fn all_are_refused_or_harmless(positions: &[Position]) {
    if Trap::real("dns-lookup", Position::Request).is_none() {
        return;
    }
    let runs = positions.iter().flat_map(|position| ROWS.iter().map(move |row| (position, row)));
    // A run that reaches a limit takes long and is the same in both positions: run it in one.
    let runs: Vec<_> = runs.filter(|(position, row)| **position == Position::Request || row.1 != QUICK).collect();
    // The slow runs come first: give each of the two threads half of them.
    let (first, second) = (runs.iter().step_by(2), runs.iter().skip(1).step_by(2));
    hold_for_all(&first.chain(second).collect::<Vec<_>>(), |(position, (folder, settings, expected))| {
        let trap = Trap::real(folder, **position).unwrap();
        if *folder == "compressed-chart" {
            write_large_package(&trap);
        }
        let output = trap.run(settings, None);
        let is_so = match expected {
            Refused(texts) => output.status == Some(2) && texts.split('|').any(|text| output.stderr.contains(text)),
            RefusedBefore(text) => output.status == Some(2) && output.stderr.contains(text),
            Harmless(text) => output.status == Some(0) && output.text().contains(text),
        };
        (!is_so).then(|| format!("{folder} {settings:?} {position:?}\n{}{}", output.text(), output.stderr))
    });
}

/// Writes a package of 110 MiB that is small when compressed.
fn write_large_package(trap: &Trap) {
    let path = trap.world.root().join("chart/charts/big-1.0.0.tgz");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let packed = flate2::write::GzEncoder::new(File::create(path).unwrap(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    let mut append = |name: &str, size: u64, content: &mut dyn Read| {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("big/{name}"), content).unwrap();
    };
    let chart = "apiVersion: v2\nname: big\nversion: 1.0.0\n";
    append("Chart.yaml", chart.len() as u64, &mut chart.as_bytes());
    for number in 0..28 {
        append(&format!("zeros{number}"), 4 << 20, &mut io::repeat(0).take(4 << 20));
    }
    archive.into_inner().unwrap().finish().unwrap();
}

#[test]
fn a_schema_that_is_not_used_does_no_harm() {
    for folder in ["schema-reads-file", "schema-calls-network", "schema-endless-device"] {
        let Some(trap) = Trap::real(folder, Position::Request) else { return };
        let output = trap.run(OFFLINE, Some("{skipSchemaValidation: true}"));
        assert!(output.text().contains("name: schema"), "{folder}\n{}", output.stderr);
    }
}

/// kustomize passes charts to helm without checking them.
#[test]
fn a_chart_below_kustomize_is_looked_at_too() {
    for (folder, position) in ["schema-reads-file", "links"].iter().flat_map(|folder| POSITIONS.map(|it| (folder, it)))
    {
        let Some(trap) = Trap::real(folder, position) else { return };
        let root = trap.world.root();
        if *folder == "links" {
            trap.link(&trap.links()[2]);
        }
        fs::create_dir_all(root.join("app/charts")).unwrap();
        fs::rename(root.join("chart"), root.join("app/charts/chart")).unwrap();
        trap.world.write("app/charts/chart/values.yaml", "a: b\n");
        trap.world.write("app/kustomization.yaml", "helmCharts: [{name: chart}]\n");
        let output = trap.run(CHARTS, None);
        let message = if *folder == "links" { "leads out of the repository" } else { LEADS_OUT };
        assert!(
            output.status == Some(2) && output.stderr.contains(message),
            "{folder}\n{}{}",
            output.text(),
            output.stderr
        );
    }
}

#[test]
fn what_needs_no_tool_starts_none() {
    let before = ROWS.iter().filter(|row| matches!(row.2, RefusedBefore(_)));
    for (folder, settings, expected) in before {
        let RefusedBefore(text) = expected else { unreachable!() };
        let trap = Trap::new(folder, Position::Checkout);
        let is_dependency = folder.contains("dependency");
        if is_dependency {
            let missing = "echo 'Error: found in Chart.yaml, but missing in charts/ directory: x' >&2; exit 1";
            trap.world.tool("helm", missing);
        }
        let output = trap.run(settings, None);
        assert!(output.status == Some(2) && output.stderr.contains(text), "{folder}\n{}", output.stderr);
        let calls = trap.world.calls();
        let wanted = if is_dependency { 1 } else { 0 };
        assert_eq!(calls.lines().count(), wanted, "{folder}\n{calls}");
        assert!(!calls.contains("dependency build") && !calls.contains("repo add"), "{folder}\n{calls}");
    }
}

#[test]
fn no_link_leads_out_of_the_repository() {
    for folder in ["links", "kustomize-links"] {
        let count = Trap::new(folder, Position::Checkout).links().len();
        assert!(count > 4);
        for (number, position) in (0..count).flat_map(|number| POSITIONS.map(|position| (number, position))) {
            let trap = Trap::new(folder, position);
            let line = &trap.links()[number];
            trap.link(line);
            let values = line.split(" -> ").next().filter(|path| !path.starts_with("chart") && folder == "links");
            let block = values.map(|path| {
                let path = if path == "folder" { "folder/canary.yaml" } else { path };
                format!("{{valueFiles: [/{path}]}}")
            });
            let all = if folder == "links" { &[PLAIN][..] } else { &[PLAIN, UNRESTRICTED, CHARTS] };
            for settings in all {
                let output = trap.run(settings, block.as_deref());
                let is_loop = line.ends_with(" -> ..");
                let is_refused = output.status == Some(2) && output.stderr.contains("repository");
                assert!(is_refused || is_loop, "{line} {position:?} {settings:?}\n{}", output.stderr);
                assert!(is_loop || trap.world.calls().is_empty(), "{line} {settings:?}");
            }
        }
    }
}

/// Blocks that only helm judges: it treats each of them as plain text.
const LEFT_TO_HELM: [&str; 8] = [
    "\"namespace\"",
    "\"apiVersions\"",
    "**/*\"",
    "**/*.yaml\"",
    "[\"../**/*\"]",
    "[\"/**/*\"]",
    "a=1,b",
    "list[99999999]",
];

#[test]
fn no_block_makes_helm_read_or_run_more() {
    for folder in ["release-name", "value-file-glob"] {
        for block in Trap::new(folder, Position::Request).blocks() {
            let trap = Trap::new(folder, Position::Request);
            let output = trap.run(OFFLINE, Some(&trap.filled(&block)));
            let calls = trap.world.calls();
            if LEFT_TO_HELM.iter().any(|part| block.contains(part)) {
                assert!(!calls.contains("outside") && !calls.contains("/etc"), "{block}\n{calls}");
                continue;
            }
            assert!(output.status == Some(2) && calls.is_empty(), "{block}\n{}{calls}", output.stderr);
        }
    }
}

#[test]
fn no_block_makes_the_real_helm_read_or_run_more() {
    for folder in ["release-name", "value-file-glob"] {
        for block in Trap::new(folder, Position::Checkout).blocks() {
            let Some(trap) = Trap::real(folder, Position::Checkout) else { return };
            let output = trap.run(OFFLINE, Some(&trap.filled(&block)));
            assert!(matches!(output.status, Some(0 | 2)), "{block}\n{}", output.stderr);
            assert!(
                !output.text().contains("private") && !output.text().contains("HELM_"),
                "{block}\n{}",
                output.text()
            );
        }
    }
    let trap = Trap::real("many-values", Position::Request).unwrap();
    let many: String = (0..1_000_000).map(|number| format!("key{number}: value{number}\n")).collect();
    trap.world.write("many.yaml", &many);
    let output = trap.run(QUICK, Some(&trap.blocks()[0][..]));
    assert!(output.stderr.contains("took longer than 2 s") || output.stderr.contains("512 MiB"), "{}", output.stderr);
}

#[test]
fn nothing_of_ours_is_in_the_chart() {
    for position in POSITIONS {
        let Some(trap) = Trap::real("reads-everything", position) else { return };
        let block = "{values: 'mine: own-canary', valueFiles: ['**/*.yaml']}";
        let output = trap.run(PLAIN, Some(block));
        // The Application's own values are no file of the chart: the glob finds only Chart.yaml and the template.
        assert!(output.status != Some(0) || output.text().matches(" bytes\"").count() == 1, "{}", output.text());
        let output = trap.run(PLAIN, Some("{values: 'mine: own-canary'}"));
        assert_eq!(output.text().matches(" bytes\"").count(), 1, "{}{}", output.text(), output.stderr);
    }
}

/// The variables besides those of the Application. None contains a secret, unless the proxy's address contains a
/// password.
const NAMES: [&str; 14] = [
    "ARGOCD_JOBS_REAL_GIT",
    "GOMEMLIMIT",
    "HELM_CACHE_HOME",
    "HELM_CONFIG_HOME",
    "HELM_DATA_HOME",
    "HELM_NO_PLUGINS",
    "HELM_PLUGINS",
    "HOME",
    "KUSTOMIZE_PLUGIN_HOME",
    "PATH",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

#[test]
fn the_environment_of_kustomize_has_nothing_to_steal() {
    for position in POSITIONS {
        let Some(trap) = Trap::real("kustomize-reads-environment", position) else { return };
        let text = "configMapGenerator: [{name: stolen, files: [environ=/proc/self/environ]}]\n";
        trap.world.write("app/kustomization.yaml", text);
        let output = trap.run(UNRESTRICTED, None);
        if confined::wall() == Wall::Kernel && position == POSITIONS[0] {
            let told = "`kustomize build` cannot open `/proc/self/environ`, which is outside the repository";
            assert!(output.status == Some(2) && output.stderr.contains(told), "{}", output.stderr);
            // The second run simulates a kernel without Landlock.
            landlock::deny();
        }
        let output = trap.run(UNRESTRICTED, None);
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        let text = output.text();
        let quoted = text.lines().find_map(|line| line.strip_prefix("  environ: ")).unwrap();
        let environment = Value::read(quoted).unwrap().as_text().unwrap().to_owned();
        let mut names: Vec<&str> =
            environment.split('\0').filter_map(|one| one.split_once('=')).map(|one| one.0).collect();
        names.retain(|name| !name.starts_with("ARGOCD_APP_"));
        names.sort_unstable();
        assert_eq!(names, NAMES);
    }
}
