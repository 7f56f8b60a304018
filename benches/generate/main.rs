//! `cargo bench`: the program next to `cat` over the same files and, where it is installed, next to `kubectl kustomize` with an
//! equivalent patch; then ten times the files and a stream of 50 MB, to show that the cost grows as the input does.
//!
//! All of one table is measured in one run on one machine: only the ratios mean something elsewhere. Times are medians of runs
//! whose output is read through a pipe, as Argo CD reads it. Peak memory is what `/usr/bin/time` says, where there is one.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark talks to a person, who sees it stop")]
#![allow(clippy::disallowed_methods, reason = "kubectl is looked for on PATH")]

mod tree;

use std::fs::{self, File};
use std::io::{Read, copy, sink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One program over one input.
struct Contender<'a> {
    label: &'a str,
    program: &'a str,
    arguments: Vec<String>,
    dir: &'a Path,
    stdin: Option<PathBuf>,
}

/// The time and the memory of a run.
struct Measured {
    median: Duration,
    peak: Option<u64>,
}

fn main() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    drop(fs::remove_dir_all(&root));
    let small = measure_tree(&root, 2_000, 21);
    let large = measure_tree(&root, 20_000, 5);
    println!("Ten times the files: {:.1} times the time.\n", ratio(&large, &small));
    let half = measure_stream(&root, 25, 7);
    let whole = measure_stream(&root, 50, 7);
    println!("Twice the stream: {:.1} times the time.\n", ratio(&whole, &half));
    measure_one_job(&root);
    drop(fs::remove_dir_all(&root));
}

/// A directory of `count` files.
fn measure_tree(root: &Path, count: usize, runs: usize) -> Measured {
    let dir = root.join(format!("files-{count}"));
    let files = tree::files(count);
    tree::write(&files, &dir.join("tree"));
    fs::write(dir.join("kustomization.yaml"), tree::kustomization(&files)).unwrap();
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    heading(&format!("{count} files, {}, {} Jobs", megabytes(bytes as u64), count / 10));
    let cat = Contender {
        label: "cat",
        program: "cat",
        arguments: files.iter().map(|file| format!("tree/{}", file.path.display())).collect(),
        dir: &dir,
        stdin: None,
    };
    let ours = contender("argocd-jobs generate --recurse", &["generate", "--recurse", "tree"], &dir, None);
    let baseline = cat.measure(runs);
    row(&cat, &baseline, &baseline);
    let measured = ours.measure(runs);
    row(&ours, &measured, &baseline);
    // Kustomize takes minutes for ten times the files; once is enough to know what it is.
    if count <= 2_000 && is_installed("kubectl") {
        let arguments = ["kustomize", "."].map(str::to_owned).to_vec();
        let kubectl = Contender { label: "kubectl kustomize", program: "kubectl", arguments, dir: &dir, stdin: None };
        let kustomize = kubectl.measure(1);
        row(&kubectl, &kustomize, &baseline);
        println!("argocd-jobs is {:.0} times as fast as kubectl kustomize.", ratio(&kustomize, &measured));
    }
    println!();
    measured
}

/// A stream of about this many megabytes on standard input.
fn measure_stream(root: &Path, size: usize, runs: usize) -> Measured {
    let path = root.join(format!("stream-{size}.yaml"));
    let mut stream = String::with_capacity(size * 1_000_000);
    let files = tree::files(size * 800);
    for file in &files {
        if stream.len() > size * 1_000_000 {
            break;
        }
        stream.push_str("---\n");
        stream.push_str(&file.text);
    }
    fs::write(&path, &stream).unwrap();
    heading(&format!("one stream of {}", megabytes(stream.len() as u64)));
    drop((stream, files));
    let cat = Contender { label: "cat", program: "cat", arguments: Vec::new(), dir: root, stdin: Some(path.clone()) };
    let ours = contender("argocd-jobs generate -", &["generate", "-"], root, Some(path));
    let baseline = cat.measure(runs);
    row(&cat, &baseline, &baseline);
    let measured = ours.measure(runs);
    row(&ours, &measured, &baseline);
    println!();
    measured
}

/// What the program costs at least.
fn measure_one_job(root: &Path) {
    let path = root.join("job.yaml");
    fs::write(&path, &tree::files(1)[0].text).unwrap();
    heading("one Job");
    let cat = Contender { label: "cat", program: "cat", arguments: Vec::new(), dir: root, stdin: Some(path.clone()) };
    let ours = contender("argocd-jobs generate -", &["generate", "-"], root, Some(path));
    let baseline = cat.measure(51);
    row(&cat, &baseline, &baseline);
    row(&ours, &ours.measure(51), &baseline);
}

/// This program.
fn contender<'a>(label: &'a str, arguments: &[&str], dir: &'a Path, stdin: Option<PathBuf>) -> Contender<'a> {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    Contender { label, program: env!("CARGO_BIN_EXE_argocd-jobs"), arguments, dir, stdin }
}

impl Contender<'_> {
    /// The median of `runs` runs after one that does not count, and the peak memory of one more.
    fn measure(&self, runs: usize) -> Measured {
        self.run();
        let mut times: Vec<Duration> = (0..runs).map(|_| self.run()).collect();
        times.sort();
        Measured { median: times[runs / 2], peak: self.peak() }
    }

    /// Runs once, reading the output to its end.
    fn run(&self) -> Duration {
        let mut command = self.command(self.program);
        command.args(&self.arguments);
        let start = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        copy(child.stdout.as_mut().unwrap(), &mut sink()).unwrap();
        assert!(child.wait().unwrap().success(), "{} fails", self.label);
        start.elapsed()
    }

    /// The largest resident set in bytes.
    fn peak(&self) -> Option<u64> {
        let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench/peak");
        let mut command = self.command("/usr/bin/time");
        command.args(["-f", "%M", "-o"]).arg(&report).arg(self.program).args(&self.arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().ok()?;
        copy(child.stdout.as_mut().unwrap(), &mut sink()).unwrap();
        child.wait().ok()?;
        let mut text = String::new();
        File::open(report).ok()?.read_to_string(&mut text).ok()?;
        text.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
    }

    /// `program` in the folder, with the standard input, and no environment that could change what is measured.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).current_dir(self.dir);
        match &self.stdin {
            Some(path) => command.stdin(File::open(path).unwrap()),
            None => command.stdin(Stdio::null()),
        };
        command
    }
}

/// True when `program` starts.
fn is_installed(program: &str) -> bool {
    Command::new(program).arg("version").arg("--client").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The first line of a table.
fn heading(title: &str) {
    println!("{title:<34} {:>12} {:>12} {:>14}", "median", "times cat", "peak memory");
}

/// One line of it.
fn row(contender: &Contender<'_>, measured: &Measured, baseline: &Measured) {
    let peak = measured.peak.map_or_else(|| "unknown".to_owned(), megabytes);
    let time = format!("{:.1} ms", measured.median.as_secs_f64() * 1_000.0);
    println!("{:<34} {time:>12} {:>12.1} {peak:>14}", contender.label, ratio(measured, baseline));
}

/// How many times as long `one` takes as `other`.
fn ratio(one: &Measured, other: &Measured) -> f64 {
    one.median.as_secs_f64() / other.median.as_secs_f64()
}

/// Bytes for people.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1_000_000.0)
}
