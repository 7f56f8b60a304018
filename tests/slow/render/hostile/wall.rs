//! Files that helm and kustomize read differently than this program. With the wall, the kernel keeps the tools in the
//! repository; without it, this program refuses what it cannot read. Each spelling here once led out of the
//! repository.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::super::fake::World;
use crate::support::program::Output;
use crate::support::{landlock, switches};

/// Whether the kernel's wall is on: each test runs with it and without it.
const WALLS: [bool; 2] = [true, false];

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stolen}\ndata: {x: other-tenant}\n";
const CHART: &str = "apiVersion: v2\nname: app\nversion: 1.0.0\n";
const LIBRARY: &str = "apiVersion: v2\nname: lib\nversion: 1.0.0\n";

/// A repository with these files in the tree of a request, and a stranger's base and chart outside; `None` when the
/// tools are not installed. Without the wall, this thread and the programs it starts have no Landlock from now on.
fn world(files: &[(&str, &str)], has_wall: bool) -> Option<World> {
    let (helm, kustomize) = (switches::tool("helm")?, switches::tool("kustomize")?);
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let world = World::new(&files.collect(), true);
    for (folder, rest) in [(world.outside(), ""), (world.root().join(".git"), "x")] {
        let folder = folder.join(rest);
        fs::create_dir_all(folder.join("templates")).unwrap();
        for (file, text) in [
            ("kustomization.yaml", "resources: [cm.yaml]\n"),
            ("cm.yaml", CONFIG_MAP),
            ("templates/cm.yaml", CONFIG_MAP),
            ("Chart.yaml", LIBRARY),
        ] {
            fs::write(folder.join(file), text).unwrap();
        }
    }
    world.real("helm", &helm);
    world.real("kustomize", &kustomize);
    if !has_wall {
        landlock::deny();
    }
    Some(world)
}

fn generate(world: &World, more: &[(&str, &str)]) -> Output {
    let application = [("ARGOCD_APP_NAME", "shop"), ("ARGOCD_JOBS_NETWORK", "never")];
    let environment: BTreeMap<_, _> =
        application.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    world.generate("app", &environment)
}

/// Checks that the run fails with the right message, and that the output contains nothing of the stranger's files.
fn assert_refused(world: &World, what: &str) {
    let output = generate(world, &[]);
    let said = format!("{what}\n{}{}", output.text(), output.stderr);
    assert!(output.status == Some(2) && !said.contains("other-tenant"), "{said}");
    assert!(!output.stderr.contains("permission denied"), "{said}");
}

fn in_utf_16(text: &str) -> Vec<u8> {
    [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

#[test]
fn no_kustomization_reads_outside_of_its_repository() {
    for has_wall in WALLS {
        let Some(world) = world(&[("app/x.yaml", ""), ("chain/x.yaml", "")], has_wall) else { return };
        let mut before = "../../outside".to_owned();
        for number in 0..60 {
            symlink(&before, world.root().join(format!("chain/l{number}"))).unwrap();
            before = format!("l{number}");
        }
        let long = format!("resources: [../../outside]\n{}\n", "#".repeat(9_000_000));
        for text in [
            "resources: [x/../../../outside]".as_bytes(),
            b"Resources: [../../outside]",
            b"RESOURCES: [../../outside]",
            b"Bases: [../../outside]",
            b"Components: [x/../../../outside]",
            b"resources: [../chain/l59]",
            long.as_bytes(),
            &in_utf_16("resources: [../../outside]\n"),
            b"resources: [nope/../../.git/x]",
            b"resources: [../.git/x]",
            b"generators: [x/../../../outside]",
            b"transformers: [x/../../../outside]",
            b"validators: [x/../../../outside]",
            b"configMapGenerator: [{name: a, files: [x/../../../outside/cm.yaml]}]",
            b"resources: [../../outside/cm.yaml]",
            b"crds: [x/../../../outside/cm.yaml]",
            b"openapi: {path: x/../../../outside/cm.yaml}",
            b"patches: [{path: x/../../../outside/cm.yaml}]",
        ] {
            fs::write(world.root().join("app/kustomization.yaml"), text).unwrap();
            let shown = String::from_utf8_lossy(&text[..text.len().min(60)]);
            let output = generate(&world, &[]);
            assert!(!output.text().contains("other-tenant"), "{shown}\n{}", output.text());
            assert!(output.status == Some(2), "{shown}\n{}", output.stderr);
        }
    }
}

#[test]
fn no_dependency_is_outside_of_the_repository() {
    for has_wall in WALLS {
        let Some(world) = world(&[("app/templates/x.yaml", ""), ("lib/Chart.yaml", LIBRARY)], has_wall) else { return };
        let outside = fs::canonicalize(world.outside()).unwrap();
        let dependency = |key: &str, path: &str| {
            format!("{CHART}dependencies: [{{name: lib, version: 1.0.0, {key}: 'file://{path}'}}]\n")
        };
        let path = outside.to_str().unwrap();
        // The digest of a lock covers the dependencies in both files (`HashReq` in `internal/resolver`).
        let both = serde_json::json!([
            [{"name": "lib", "version": "1.0.0", "repository": "file://../lib"}],
            [{"name": "lib", "version": "1.0.0", "repository": format!("file://{path}")}],
        ]);
        let digest: String =
            Sha256::digest(reordered(&both.to_string())).iter().map(|byte| format!("{byte:02x}")).collect();
        let lock = format!(
            "dependencies:\n- name: lib\n  repository: file://{path}\n  version: 1.0.0\ndigest: sha256:{digest}\ngenerated: '2020-01-01T00:00:00Z'\n"
        );
        for (what, chart, lock) in [
            ("the lock names another place", dependency("repository", "../lib").into_bytes(), Some(&lock)),
            ("Repository", dependency("Repository", path).into_bytes(), None),
            ("Dependencies", dependency("repository", path).replace("dependencies", "Dependencies").into_bytes(), None),
            ("UTF-16", in_utf_16(&dependency("repository", path)), None),
            (
                "a path that does not exist on its way",
                dependency("repository", "x/../../../outside").into_bytes(),
                None,
            ),
        ] {
            let app = world.root().join("app");
            drop(fs::remove_dir_all(app.join("charts")));
            drop(fs::remove_file(app.join("Chart.lock")));
            fs::write(app.join("Chart.yaml"), chart).unwrap();
            if let Some(lock) = lock {
                fs::write(app.join("Chart.lock"), lock).unwrap();
            }
            assert_refused(&world, what);
        }
    }
}

/// The dependencies as Go prints them: in the order of the fields of its type.
fn reordered(json: &str) -> String {
    json.replace("\"repository\":", "\"~\":").split("{\"name\":\"lib\",").fold(String::new(), |text, part| {
        if text.is_empty() {
            return part.to_owned();
        }
        let (object, rest) = part.split_once('}').unwrap();
        let (repository, version) = object.split_once(",\"version\"").unwrap();
        format!("{text}{{\"name\":\"lib\",\"version\"{version},{}}}{rest}", repository.replace('~', "repository"))
    })
}

/// Another rendering, which runs until it is dropped.
struct Other(Child);

impl Other {
    fn start(dir: &Path) -> Self {
        Self(Command::new("/bin/sleep").arg("60").current_dir(dir).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn no_chart_reads_the_tree_of_another_request() {
    for has_wall in WALLS {
        let Some(world) = world(&[], has_wall) else { return };
        let other = world.whole().join("bbbb/app");
        fs::create_dir_all(other.join("templates")).unwrap();
        fs::write(other.join("Chart.yaml"), LIBRARY.replace("lib", "victim")).unwrap();
        fs::write(other.join("values.yaml"), "password: other-tenant\n").unwrap();
        let victim = Other::start(&other);
        thread::sleep(Duration::from_millis(50));
        world.write("app/templates/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {stolen: {{ .Values.victim | toJson | quote }}}\n");
        for key in ["Repository", "repository"] {
            let path = format!("file:///proc/{}/cwd", victim.0.id());
            world.write(
                "app/Chart.yaml",
                &format!("{CHART}dependencies: [{{name: victim, version: '>0.0.0', {key}: '{path}'}}]\n"),
            );
            assert_refused(&world, key);
        }
        world.write("app/Chart.yaml", CHART);
        world.write(
            "app/kustomization.yaml",
            &format!("resources: [../../../../../../../../../../proc/{}/cwd]\n", victim.0.id()),
        );
        fs::remove_file(world.root().join("app/Chart.yaml")).unwrap();
        assert_refused(&world, "kustomize");
    }
}

/// A package with a schema whose name only readers of sparse files find (helm reads with Go's `archive/tar`).
fn with_a_sparse_schema(outside: &Path) -> Vec<u8> {
    let schema = format!("{{\"$ref\":\"file://{}\"}}\n", outside.display());
    let record = |key: &str, value: &str| {
        let rest = format!(" {key}={value}\n");
        let length = (rest.len() + 1..).find(|length| length.to_string().len() + rest.len() == *length).unwrap();
        format!("{length}{rest}")
    };
    let pax = [
        record("GNU.sparse.major", "1"),
        record("GNU.sparse.minor", "0"),
        record("GNU.sparse.name", "sub/values.schema.json"),
        record("GNU.sparse.realsize", &schema.len().to_string()),
    ]
    .concat();
    let mut map = format!("1\n0\n{}\n", schema.len()).into_bytes();
    map.resize(512, 0);
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    let mut add = |name: &str, kind: tar::EntryType, content: &[u8]| {
        let mut header = tar::Header::new_ustar();
        header.set_path(name).unwrap();
        header.set_size(content.len() as u64);
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append(&header, content).unwrap();
    };
    add("sub/Chart.yaml", tar::EntryType::Regular, LIBRARY.replace("lib", "sub").as_bytes());
    add("PaxHeaders/x", tar::EntryType::XHeader, pax.as_bytes());
    add("sub/README.md", tar::EntryType::Regular, &[map, schema.into_bytes()].concat());
    let mut bytes = archive.into_inner().unwrap();
    bytes.flush().unwrap();
    bytes.finish().unwrap()
}

#[test]
fn no_schema_reads_outside_of_the_repository() {
    for has_wall in WALLS {
        let chart = format!("{CHART}dependencies: [{{name: sub, version: 1.0.0}}]\n");
        let Some(world) = world(&[("app/Chart.yaml", &chart), ("app/templates/x.yaml", "a: b\n")], has_wall) else {
            return;
        };
        let outside = fs::canonicalize(world.outside()).unwrap().join("schema.json");
        fs::write(&outside, "{\"required\":[\"other-tenant\"]}\n").unwrap();
        fs::create_dir_all(world.root().join("app/charts")).unwrap();
        fs::write(world.root().join("app/charts/sub-1.0.0.tgz"), with_a_sparse_schema(&outside)).unwrap();
        assert_refused(&world, "a sparse file");
    }
}

/// With `--allow-oob-symlinks`, Argo CD leaves such links in the tree.
#[test]
fn no_link_in_a_dependency_leads_out_of_the_repository() {
    for has_wall in WALLS {
        let chart = format!("{CHART}dependencies: [{{name: lib, version: 1.0.0, repository: 'file://../lib'}}]\n");
        let files = [
            ("app/Chart.yaml", &*chart),
            ("app/templates/x.yaml", "a: b\n"),
            ("lib/Chart.yaml", LIBRARY),
            ("lib/templates/x", ""),
        ];
        let Some(world) = world(&files, has_wall) else { return };
        symlink("../../../outside/cm.yaml", world.root().join("lib/templates/cm.yaml")).unwrap();
        assert_refused(&world, "a link in `../lib`");
    }
}

/// For a chart at the top of the repository, `.git` is a folder of the chart, and in CI `.git/config` can contain a
/// token.
#[test]
fn no_chart_sees_what_git_keeps() {
    for has_wall in [true, false] {
        let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: \"{{ range $path, $_ := .Files.Glob \"**\" }}{{ $path }} {{ end }}\"}\n";
        let files = [
            ("app/Chart.yaml", CHART),
            ("app/templates/x.yaml", template),
            ("app/sub/.git", "gitdir: ../../.git/modules/sub\n"),
            ("app/sub/a", ""),
            ("app/.git/config", "token"),
        ];
        let Some(world) = world(&files, has_wall) else { return };
        let output = generate(&world, &[("ARGOCD_JOBS_TRIGGER", "false")]);
        assert!(output.text().contains("data: {x: \"sub/a \"}"), "{}{}", output.text(), output.stderr);
    }
}

/// A clone that a CI job has put into the checkout can contain a token, too.
#[test]
fn no_kustomization_sees_what_git_keeps_below_it() {
    for has_wall in WALLS {
        for (kustomization, base) in [
            ("configMapGenerator: [{name: a, files: [deps/lib/.git/config]}]\n", ""),
            ("resources: [../lib]\n", "configMapGenerator: [{name: a, files: [.git/config]}]\n"),
            ("resources: [../lib]\n", "configMapGenerator: [{name: a, files: [link]}]\n"),
        ] {
            let files = [
                ("app/kustomization.yaml", kustomization),
                ("app/deps/lib/.git/config", "other-tenant"),
                ("lib/kustomization.yaml", base),
                ("lib/.git/config", "other-tenant"),
            ];
            let Some(world) = world(&files, has_wall) else { return };
            symlink(".git/config", world.root().join("lib/link")).unwrap();
            assert_refused(&world, base);
        }
    }
}

/// The kernel blocks everything outside of a folder without a repository.
#[test]
fn no_kustomization_without_a_repository_reads_outside_of_its_folder() {
    for has_wall in WALLS {
        let Some(world) = world(&[("app/kustomization.yaml", "resources: [../../outside]\n")], has_wall) else {
            return;
        };
        let copy = World::without_git(&BTreeMap::new(), false);
        fs::create_dir_all(copy.root().join("app")).unwrap();
        fs::create_dir_all(copy.outside()).unwrap();
        for file in ["kustomization.yaml", "cm.yaml"] {
            fs::copy(world.outside().join(file), copy.outside().join(file)).unwrap();
        }
        fs::copy(world.root().join("app/kustomization.yaml"), copy.root().join("app/kustomization.yaml")).unwrap();
        copy.real("kustomize", &switches::tool("kustomize").unwrap());
        assert_refused(&copy, "a folder without a repository");
    }
}

/// The path of a chart need not be UTF-8, because a symlink can lead to its folder.
#[test]
fn no_chart_with_an_odd_path_reads_outside_of_the_repository() {
    for has_wall in WALLS {
        let Some(world) = world(&[("app/kustomization.yaml", "resources: [../link]\n")], has_wall) else { return };
        let outside = fs::canonicalize(world.outside()).unwrap().join("schema.json");
        fs::write(&outside, "{\"required\":[\"other-tenant\"]}\n").unwrap();
        let name = OsStr::from_bytes(b"odd\xff");
        symlink(name, world.root().join("link")).unwrap();
        let schema = format!("{{\"$ref\":\"file://{}\"}}", outside.display());
        for (path, text) in [
            ("kustomization.yaml", "helmCharts: [{name: lib, releaseName: lib}]\n"),
            ("charts/lib/Chart.yaml", LIBRARY),
            ("charts/lib/values.yaml", "a: b\n"),
            ("charts/lib/templates/cm.yaml", CONFIG_MAP),
            ("charts/lib/values.schema.json", &schema),
        ] {
            let path = world.root().join(name).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let output = generate(&world, &[("ARGOCD_JOBS_KUSTOMIZE_BUILD_OPTIONS", "--enable-helm")]);
        assert!(output.status == Some(2) && !output.stderr.contains("other-tenant"), "{}", output.stderr);
    }
}
