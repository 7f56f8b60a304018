//! The surroundings of a hostile repository: files that it must not read, a server that it must not contact, and
//! tools that it must not trick.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use goyaml::Value;
use goyaml::json::{Form, print};

use super::super::fake::World;
use crate::support::program::{Output, run};
use crate::support::{case, scratch, switches};

/// Texts that no output may show.
const CANARIES: [&str; 4] = ["outside-canary", "environ-canary", "from-network", "root:x:"];

/// Where the plugin runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// In the tree of an Argo CD request.
    Request,
    /// In a user's checkout.
    Checkout,
}

pub(super) const POSITIONS: [Position; 2] = [Position::Request, Position::Checkout];

/// A hostile repository in its surroundings.
pub(super) struct Trap {
    pub(super) world: World,
    pub(super) position: Position,
    words: [(&'static str, String); 3],
    requests: Arc<AtomicUsize>,
}

impl Trap {
    /// A folder of `testdata/render/hostile`, with fake tools.
    pub(super) fn new(folder: &str, position: Position) -> Self {
        let world = World::new(&BTreeMap::new(), position == Position::Request);
        let outside = world.outside();
        let requests = Arc::new(AtomicUsize::new(0));
        let words = [
            ("@MARKER@", world.whole().join("marker").display().to_string()),
            ("@OUTSIDE@", outside.display().to_string()),
            ("@PORT@", serve(Arc::clone(&requests)).to_string()),
        ];
        let trap = Self { world, position, words, requests };
        let from = case::root().join("render/hostile").join(folder);
        for entry in walkdir::WalkDir::new(&from).into_iter().map(Result::unwrap) {
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(&from).unwrap();
                trap.world.write(path.to_str().unwrap(), &trap.filled(&fs::read_to_string(entry.path()).unwrap()));
                if path.ends_with("run.sh") || path.ends_with("Run") {
                    fs::set_permissions(trap.world.root().join(path), fs::Permissions::from_mode(0o755)).unwrap();
                }
            }
        }
        let config_map =
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: outside-canary\ndata:\n  a: outside-canary\n";
        for (path, text) in [
            ("canary.txt", "outside-canary\n"),
            ("canary.yaml", config_map),
            ("kustomization.yaml", "resources: [canary.yaml]\n"),
            ("canary-chart/Chart.yaml", "apiVersion: v2\nname: canary\nversion: 1.0.0\n"),
            ("canary-chart/values.yaml", ""),
            ("canary-chart/templates/canary.yaml", config_map),
            ("canary-repository/canary.yaml", config_map),
            ("canary-repository/kustomization.yaml", "resources: [canary.yaml]\n"),
        ] {
            fs::create_dir_all(outside.join(path).parent().unwrap()).unwrap();
            fs::write(outside.join(path), text).unwrap();
        }
        trap
    }

    /// As [`Self::new`], with the real tools and git; `None` when they are not installed.
    pub(super) fn real(folder: &str, position: Position) -> Option<Self> {
        let (helm, kustomize) = (switches::tool("helm")?, switches::tool("kustomize")?);
        let trap = Self::new(folder, position);
        trap.world.real("helm", &helm);
        trap.world.real("kustomize", &kustomize);
        let git = std::env::split_paths(&switches::path()).map(|dir| dir.join("git")).find(|path| path.exists());
        if let Some(git) = git.filter(|_| folder.starts_with("kustomize-")) {
            trap.world.real("git", &git);
            scratch::commit(&trap.world.outside().join("canary-repository"));
        }
        Some(trap)
    }

    /// A text in which placeholders are replaced by paths of this run.
    pub(super) fn filled(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, (word, value)| text.replace(word, value))
    }

    /// The lines of `links.txt`, each for one link.
    pub(super) fn links(&self) -> Vec<String> {
        let text = fs::read_to_string(self.world.root().join("links.txt")).unwrap();
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    /// Creates the link of such a line.
    pub(super) fn link(&self, line: &str) {
        let (path, target) = line.split_once(" -> ").unwrap();
        let path = self.world.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        drop(fs::remove_file(&path));
        symlink(target, path).unwrap();
    }

    /// The `helm` blocks in `blocks.yaml`, as JSON.
    pub(super) fn blocks(&self) -> Vec<String> {
        let text = fs::read_to_string(self.world.root().join("blocks.yaml")).unwrap();
        let blocks = Value::read(&text).unwrap();
        blocks.as_list().unwrap().iter().map(|block| print(block, Form::Stream)).collect()
    }

    /// Runs the plugin with these settings of the platform owner, and with a `helm` block if there is one. Then
    /// checks that nothing forbidden has happened.
    pub(super) fn run(&self, platform: &[(&str, &str)], block: Option<&str>) -> Output {
        let mut environment: BTreeMap<String, String> = [
            ("VAULT_TOKEN", "environ-canary"),
            ("ARGOCD_ENV_TOKEN", "environ-canary"),
            ("HELM_DEBUG", "environ-canary"),
            ("ARGOCD_JOBS_TRIGGER", "false"),
            ("ARGOCD_JOBS_RENDER_TIMEOUT", "30"),
            ("ARGOCD_JOBS_RENDER_MEMORY", "512"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        if self.position == Position::Request {
            environment.insert("ARGOCD_APP_NAME".to_owned(), "shop".to_owned());
            environment.insert("ARGOCD_APP_PARAMETERS".to_owned(), "[]".to_owned());
        }
        environment.extend(platform.iter().map(|(name, value)| ((*name).to_owned(), self.filled(value))));
        if let Some(block) = block {
            let parameters = serde_json::json!([{"name": "helm", "string": block}]);
            environment.insert("ARGOCD_APP_PARAMETERS".to_owned(), parameters.to_string());
        }
        let dir = ["app", "chart", "l0"].into_iter().find(|dir| self.world.root().join(dir).exists()).unwrap();
        let before = self.world.snapshot();
        let mut command = self.world.command(dir, &environment);
        command.arg("generate");
        let start = Instant::now();
        let output = run(command, b"");
        let limit = environment["ARGOCD_JOBS_RENDER_TIMEOUT"].parse().map(Duration::from_secs).unwrap();
        assert!(start.elapsed() < limit + Duration::from_secs(15), "{:?}", start.elapsed());
        // Without load restrictions, kustomize can read its own environment.
        let is_unrestricted = platform.iter().any(|(_, value)| value.contains("LoadRestrictionsNone"));
        self.check(&output, &before, is_unrestricted);
        let is_offline = environment.get("ARGOCD_JOBS_NETWORK").is_some_and(|network| network == "never");
        assert!(!is_offline || self.requests.load(Ordering::SeqCst) == 0, "the server was asked\n{}", output.stderr);
        output
    }

    /// Checks that nothing was shown, run, written or left over.
    fn check(&self, output: &Output, before: &BTreeMap<PathBuf, String>, is_unrestricted: bool) {
        let printed = format!("{}{}", output.text(), output.stderr);
        let temporary = fs::canonicalize(self.world.temporary()).unwrap();
        let ours = if is_unrestricted { "argocd-jobs-launch" } else { temporary.to_str().unwrap() };
        for unseen in CANARIES.into_iter().chain(["\ngoroutine ", ours]) {
            assert!(!printed.contains(unseen), "{unseen} is printed:\n{printed}");
        }
        assert!(output.stderr.len() < 8 << 10, "a long message:\n{}", output.stderr);
        assert!(!self.world.whole().join("marker").exists(), "a payload was run\n{printed}");
        assert_eq!(self.world.leftovers(), Vec::<PathBuf>::new());
        assert_eq!(survivors(self.world.whole()), Vec::<String>::new());
        if self.position == Position::Checkout {
            assert_eq!(before, &self.world.snapshot(), "the checkout is as it was");
        }
    }
}

/// The processes that have a folder in their arguments, or as their working directory.
pub(in super::super) fn survivors(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).unwrap();
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path()) {
        let words = fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        let is_there = fs::read_link(process.join("cwd")).is_ok_and(|dir| dir.starts_with(&folder));
        if is_there || words.contains(folder.to_str().unwrap()) {
            found.push(format!("{} {words}", process.display()));
        }
    }
    found
}

/// Starts a server that counts its requests; returns its port.
fn serve(requests: Arc<AtomicUsize>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            requests.fetch_add(1, Ordering::SeqCst);
            drop(stream.read(&mut [0; 4096]));
            let body = "canary: from-network\n";
            drop(write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            ));
        }
    });
    port
}
