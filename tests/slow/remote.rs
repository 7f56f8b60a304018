//! Charts and other repositories that are fetched from servers on the loopback: the first run, one without the servers, a branch that moves, credentials,
//! and servers that mean harm.

mod git;
mod registry;
mod settings;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::program::{Output, program, run};
use crate::support::scratch::Scratch;
use crate::support::switches;

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: \"IMAGE\"}]}}}\n";

/// `me:secret`, as HTTP sends it.
const CREDENTIALS: &str = "Authorization: Basic bWU6c2VjcmV0";

/// A server of files and git repositories; below `/private/` only for [`CREDENTIALS`].
struct Server {
    port: u16,
    is_up: Arc<AtomicBool>,
    requests: Arc<AtomicUsize>,
}

impl Server {
    fn start(root: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            is_up: Arc::new(AtomicBool::new(true)),
            requests: Arc::default(),
        };
        let (is_up, requests) = (Arc::clone(&server.is_up), Arc::clone(&server.requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                requests.fetch_add(1, Ordering::SeqCst);
                if is_up.load(Ordering::SeqCst) {
                    let root = root.clone();
                    thread::spawn(move || answer(stream, &root));
                }
            }
        });
        server
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
}

/// Answers one request. Errors are those of a client that has gone.
fn answer(mut stream: TcpStream, root: &Path) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let mut words = head.first()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let header = |name: &str| {
        let found =
            head.iter().find_map(|line| line.split_once(": ").filter(|(key, _)| key.eq_ignore_ascii_case(name)));
        found.map_or("", |(_, value)| value).to_owned()
    };
    let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match path.split('/').nth(1)? {
        "private" if !head.iter().any(|line| line == CREDENTIALS) => {
            stream.write_all(b"HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\r\n").ok()
        }
        "slow" => {
            thread::sleep(Duration::from_secs(60));
            None
        }
        "huge" => {
            stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n").ok()?;
            (0..1_100).try_for_each(|_| stream.write_all(&vec![b'x'; 1 << 20]).ok())
        }
        _ => {
            let path = path.strip_prefix("/private").unwrap_or(path);
            if path.contains(".git/") {
                let path = path.to_owned();
                let environment = [
                    ("GIT_PROJECT_ROOT", root.to_str()?),
                    ("GIT_HTTP_EXPORT_ALL", "1"),
                    ("PATH_INFO", &path),
                    ("QUERY_STRING", query),
                    ("REQUEST_METHOD", method),
                    ("CONTENT_TYPE", &header("content-type")),
                    ("HTTP_CONTENT_ENCODING", &header("content-encoding")),
                    ("GIT_PROTOCOL", &header("git-protocol")),
                ];
                return stream.write_all(&of_git(&body, &environment)?).ok();
            }
            match fs::read(root.join(path.trim_start_matches('/'))) {
                Ok(bytes) => stream.write_all(&[b"HTTP/1.0 200 OK\r\n\r\n".to_vec(), bytes].concat()).ok(),
                Err(_) => stream.write_all(b"HTTP/1.0 404 Not Found\r\n\r\n").ok(),
            }
        }
    }
}

/// The answer of `git http-backend`.
fn of_git(body: &[u8], environment: &[(&str, &str)]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("http-backend").envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(body).ok()?;
    let printed = child.wait_with_output().ok()?.stdout;
    let status = if printed.starts_with(b"Status: ") { "404 Not Found" } else { "200 OK" };
    Some([format!("HTTP/1.0 {status}\r\n").into_bytes(), printed].concat())
}

/// A checkout with Applications, and next to it what the server has.
struct World {
    scratch: Scratch,
    server: Server,
}

impl World {
    fn new() -> Self {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.source().join("repo/.git")).unwrap();
        fs::create_dir_all(scratch.source().join("served/platform.git")).unwrap();
        fs::create_dir_all(scratch.source().join("home")).unwrap();
        let world = Self { server: Server::start(scratch.source().join("served")), scratch };
        world.git(&["init", "--quiet", "--bare", "--initial-branch=main", "."]);
        world.commit("a:1");
        world.git(&["tag", "v1"]);
        world
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.scratch.source().join("served/platform.git")).args(arguments);
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            command.env(name, "a@example.com");
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A commit on `main` with a Job that has this image.
    fn commit(&self, image: &str) -> String {
        let file = self.scratch.write("job.yaml", JOB.replace("IMAGE", image));
        let blob = self.git(&["hash-object", "-w", file.to_str().unwrap()]);
        let index = self.scratch.source().join("index");
        drop(fs::remove_file(&index));
        let index = format!("GIT_INDEX_FILE={}", index.display());
        let script = format!(
            "export {index}; git update-index --add --cacheinfo 100644,{blob},jobs/job.yaml; git commit-tree -m x $(git write-tree)"
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .envs(
                ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
                    .map(|name| (name, "a@b")),
            )
            .current_dir(self.scratch.source().join("served/platform.git"))
            .output()
            .unwrap();
        let commit = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        self.git(&["update-ref", "refs/heads/main", &commit]);
        commit
    }

    /// Writes an Application with this source.
    fn application(&self, name: &str, source: &str) {
        let text = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec: {{destination: {{namespace: {name}}}, source: {{{source}}}}}\n"
        );
        self.scratch.write(&format!("repo/apps/{name}.yaml"), text);
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.command_of("preview", arguments)
    }

    fn command_of(&self, subcommand: &str, arguments: &[&str]) -> Command {
        let mut command = program(&self.scratch.source().join("repo"));
        command.args([
            subcommand,
            "apps",
            "--all",
            "--format",
            "json",
            "--repository-url",
            "https://git.example.com/x",
        ]);
        command.args(arguments).env("HOME", self.scratch.source().join("home"));
        command.env("XDG_CACHE_HOME", self.scratch.source().join("cache"));
        let path = switches::path().to_string_lossy().into_owned();
        let tools = switches::tool("helm").and_then(|helm| Some(helm.parent()?.display().to_string()));
        command.env("PATH", format!("{}:{path}", tools.unwrap_or_default()));
        command
    }

    fn preview(&self, arguments: &[&str]) -> (String, Output) {
        let output = run(self.command(arguments), b"");
        (String::from_utf8(output.stdout.clone()).unwrap() + &output.stderr, output)
    }

    /// Writes a packaged chart, which the server has.
    fn package(&self, version: &str) {
        let chart = format!("apiVersion: v2\nname: shop\nversion: {version}\n");
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, text) in [("shop/Chart.yaml", chart.as_str()), ("shop/templates/job.yaml", JOB)] {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        let bytes = archive.into_inner().unwrap().finish().unwrap();
        self.scratch.write(&format!("served/shop-{version}.tgz"), bytes);
    }
}

const ALLOWED: [&str; 2] = ["--network", "allow"];

#[test]
fn a_repository_is_fetched_once_and_a_branch_again() {
    let world = World::new();
    let url = world.server.url("platform.git");
    world.application("tag", &format!("repoURL: '{url}', path: jobs, targetRevision: v1"));
    world.application("main", &format!("repoURL: '{url}', path: jobs"));
    let commit = world.git(&["rev-parse", "v1"]);
    world.application("commit", &format!("repoURL: '{url}', path: jobs, targetRevision: {commit}"));
    world.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    // Not without `--network allow`.
    let (text, _) = world.preview(&[]);
    assert!(text.contains("\"checked\": 0") && text.contains("in other repositories"), "{text}");
    assert_eq!(world.server.requests.load(Ordering::SeqCst), 0);
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("\"checked\": 3") && text.contains("platform@v1/jobs/job.yaml"), "{text}");
    // What was fetched is there without the server, and without the network.
    world.server.is_up.store(false, Ordering::SeqCst);
    let (again, _) = world.preview(&[]);
    assert_eq!(again, text);
    // With it, a commit is not asked for again; all else fails, and says what helps.
    let (text, _) = world.preview(&ALLOWED);
    assert!(
        text.contains("\"checked\": 1") && text.contains("without `--network allow`, what an earlier run has fetched"),
        "{text}"
    );
    world.server.is_up.store(true, Ordering::SeqCst);
    let new = world.commit("a:2");
    assert_ne!(new, commit);
    world.preview(&ALLOWED);
    let content = world.scratch.source().join("cache/argocd-jobs/content");
    assert!(fs::read_to_string(content.join(&new).join("jobs/job.yaml")).unwrap().contains("a:2"));
    assert_eq!(fs::read_dir(content).unwrap().count(), 2);
}

#[test]
fn credentials_are_those_of_the_user() {
    let world = World::new();
    let url = world.server.url("private/platform.git");
    world.application("private", &format!("repoURL: '{url}', path: jobs, targetRevision: v1"));
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("could not read Username") && text.contains("log in first"), "{text}");
    let with = |user: &str| url.replace("http://", &format!("http://{user}@"));
    world.scratch.write("home/.git-credentials", format!("{}\n", with("me:wrong")));
    world.scratch.write("home/.gitconfig", "[credential]\n\thelper = store\n");
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("Authentication failed") && !text.contains("wrong"), "{text}");
    world.scratch.write("home/.git-credentials", format!("{}\n", with("me:secret")));
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("\"checked\": 1") && !text.contains("secret"), "{text}");
    // One that is in the Application is not shown.
    world.application("private", &format!("repoURL: '{}', path: jobs, targetRevision: v2", with("me:s3cr3t")));
    let (text, _) = world.preview(&ALLOWED);
    assert!(!text.contains("s3cr3t") && text.contains("\"checked\": 0"), "{text}");
}

#[test]
fn servers_that_mean_harm_are_left_in_time() {
    let world = World::new();
    for (name, path) in [("slow", "slow/a.git"), ("slow2", "slow/b.git"), ("huge", "huge/a.git")] {
        world.application(name, &format!("repoURL: '{}', path: jobs", world.server.url(path)));
    }
    if switches::tool("helm").is_some() {
        for name in ["slow", "huge"] {
            world.application(
                &format!("{name}-chart"),
                &format!("repoURL: '{}', chart: a, targetRevision: 1.0.0", world.server.url(name)),
            );
        }
    }
    for url in ["file:///etc", "ext::sh -c id", "git://127.0.0.1/x", "-oProxyCommand=id"] {
        world.application(&format!("odd{}", url.len()), &format!("repoURL: '{url}', path: jobs"));
    }
    world.application(
        "odd-revision",
        &format!("repoURL: '{}', path: jobs, targetRevision: '--upload-pack=id'", world.server.url("platform.git")),
    );
    let start = Instant::now();
    let (text, _) = world.preview(&["--network", "allow", "--set", "render-timeout=3"]);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert!(text.contains("\"checked\": 0"), "{text}");
    // An answer that never ends reaches the memory first where the machine is fast. A server that has not answered is not asked again.
    let [time, memory] =
        ["took more than 3 s", "took more than 1024 MiB of memory"].map(|end| text.matches(end).count());
    assert!(time <= 1 && time + memory >= 1, "{text}");
    let cached = walkdir::WalkDir::new(world.scratch.source().join("cache")).into_iter().flatten();
    assert_eq!(cached.filter(|entry| entry.file_type().is_file()).count(), 0);
}

#[test]
fn a_cache_that_others_can_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.application("main", &format!("repoURL: '{}', path: jobs", world.server.url("platform.git")));
    let cache = world.scratch.source().join("cache/argocd-jobs");
    fs::create_dir_all(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("other users can write it"), "{text}");
    // Nor is one in the checkout, which a pull request could fill.
    fs::remove_dir_all(&cache).unwrap();
    std::os::unix::fs::symlink(world.scratch.source().join("repo/apps"), world.scratch.source().join("cache2"))
        .unwrap();
    let mut command = program(&world.scratch.source().join("repo"));
    command
        .args(["check", "apps", "--network", "allow", "--repository-url", "https://git.example.com/x"])
        .env("XDG_CACHE_HOME", world.scratch.source().join("cache2"));
    command.env("PATH", switches::path());
    let output = run(command, b"");
    assert!(output.text().contains("there is no directory for the cache"), "{}{}", output.text(), output.stderr);
    assert!(!world.scratch.source().join("repo/apps/argocd-jobs").exists());
}

#[test]
fn a_chart_is_fetched_once() {
    if switches::tool("helm").is_none() {
        return;
    }
    let world = World::new();
    let index = |versions: &[&str]| {
        let entries: String = versions
            .iter()
            .map(|version| {
                format!("  - {{apiVersion: v2, name: shop, version: {version}, urls: [shop-{version}.tgz]}}\n")
            })
            .collect();
        world.scratch.write("served/index.yaml", format!("apiVersion: v1\nentries:\n  shop:\n{entries}"));
    };
    world.package("1.0.0");
    index(&["1.0.0"]);
    for (name, version) in [("one", "1.0.0"), ("range", "^1.0.0"), ("gone", "9.0.0")] {
        world.application(
            name,
            &format!("repoURL: '{}', chart: shop, targetRevision: '{version}'", world.server.url("")),
        );
    }
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("\"checked\": 2") && text.contains("chart `shop 9.0.0` from"), "{text}");
    world.package("1.1.0");
    index(&["1.1.0", "1.0.0"]);
    world.preview(&ALLOWED);
    let content = world.scratch.source().join("cache/argocd-jobs/content");
    assert_eq!(fs::read_dir(content).unwrap().count(), 2);
    world.server.is_up.store(false, Ordering::SeqCst);
    let (text, _) = world.preview(&[]);
    assert!(text.contains("\"checked\": 2"), "{text}");
}
