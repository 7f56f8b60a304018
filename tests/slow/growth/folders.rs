//! The bounds on memory for many files in a directory, with long paths, and for many sources: of all of them together no more is kept than
//! may be kept of one. With `LONG=1` in every format.

use super::bounds::{FACTOR, FIXED, bare, config_map, job, judge, usual};
use super::counted;
use crate::support::scratch::Scratch;
use crate::support::switches;

/// What writes files by their names, and returns how many bytes they and their paths have.
fn write(scratch: &Scratch, files: impl IntoIterator<Item = (String, String)>) -> usize {
    let write = |(path, text): (String, String)| {
        scratch.write(&path, &text);
        path.len() + text.len()
    };
    files.into_iter().map(write).sum()
}

/// A folder of `length` bytes, with a slash behind it.
fn long_folder(length: usize) -> String {
    format!("{}/", "d".repeat(199)).repeat(length / 200)
}

#[test]
fn generate_needs_64_mib_and_three_times_many_files() {
    if !counted::is_there() {
        return;
    }
    let of_a_job = |count: usize| (0..count).map(|number| (format!("{number}.yaml"), bare(number)));
    let many = (0..18_000).map(|number| bare(40_000 + number)).collect::<String>();
    let deep = long_folder(2_000);
    let count = (4 << 20) / (deep.len() + 9);
    let inputs: [(&str, Vec<(String, String)>); 4] = [
        ("files of nothing", (0..31_999).map(|number| (format!("{number}.yaml"), "#\n".to_owned())).collect()),
        ("files of a Job", of_a_job(31_999).collect()),
        ("files of a Job, and one of many", of_a_job(31_999).chain([("a.yaml".to_owned(), many)]).collect()),
        ("long paths", of_a_job(count).map(|(path, text)| (format!("{deep}{path}"), text)).collect()),
    ];
    let judged = |(name, files): (&str, Vec<(String, String)>)| {
        let scratch = Scratch::new();
        let read = write(&scratch, files);
        let arguments = ["generate", ".", "--recurse", "--strategy", "hook", "--allow-empty"];
        judge(&arguments, name, counted::run(&scratch, &arguments, b""), FIXED + 3 * read as i64)
    };
    let wrong: Vec<String> = inputs.into_iter().filter_map(judged).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A folder with folders of its own for sources, each with one file, and how many bytes they have.
struct Sources {
    scratch: Scratch,
    read: usize,
}

impl Sources {
    /// As many sources with this text each, in two versions.
    fn of(count: usize, text: &dyn Fn(usize) -> String) -> Self {
        let scratch = Scratch::new();
        let mut read = 0;
        for number in 0..count {
            let new = text(number);
            let old = new.replace("a:1", "a:2").replace("{}", "{a: b}");
            read += write(&scratch, [(format!("new/{number}/a.yaml"), new), (format!("old/new/{number}/a.yaml"), old)]);
        }
        Self { scratch, read }
    }
}

/// What runs over all sources.
const COMMANDS: [&[&str]; 3] =
    [&["check", "new", "--format", "json"], &["check", "new", "--base", "old"], &["preview", "new", "--base", "old"]];

/// What runs over all sources with `LONG=1`, too.
const LONG_COMMANDS: [&[&str]; 8] = [
    &["check", "new", "--format", "sarif"],
    &["preview", "new", "--format", "json"],
    &["preview", "new", "--format", "markdown"],
    &["check", "new"],
    &["check", "new", "--format", "github"],
    &["check", "new", "--format", "gitlab"],
    &["check", "new", "--all"],
    &["preview", "new"],
];

#[test]
fn many_sources_need_no_more_than_one() {
    if !counted::is_there() {
        return;
    }
    let not_strings: String = (0..100).map(|number| format!("a{number}: 1, ")).collect();
    let many = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<String>();
    let mut inputs = vec![
        ("sources with a Job", Sources::of(4_000, &bare)),
        ("Jobs and objects", Sources::of(40, &|_| many(125, &bare) + &many(300, &|number| config_map(number, "")))),
        ("findings", Sources::of(34, &|_| many(3, &|number| config_map(number, &not_strings)))),
    ];
    if switches::long() {
        inputs.extend([
            ("sources", Sources::of(4_000, &|_| config_map(0, ""))),
            ("Jobs", Sources::of(40, &|_| many(150, &|number| job(number, "", "")))),
            ("usual Jobs", Sources::of(40, &|_| many(220, &usual))),
            ("too many findings", Sources::of(40, &|_| many(100, &|number| config_map(number, &not_strings)))),
            ("too many Jobs", Sources::of(8, &|_| many(6_000, &|number| job(number, "", "")))),
        ]);
    }
    let long: &[_] = if switches::long() { &LONG_COMMANDS } else { &[] };
    let mut wrong = Vec::new();
    for (name, sources) in &inputs {
        let most = FIXED + FACTOR * sources.read as i64;
        let commands = COMMANDS.iter().chain(long);
        let run = |arguments: &[&str]| counted::run(&sources.scratch, arguments, b"");
        wrong.extend(commands.filter_map(|arguments| judge(arguments, name, run(arguments), most)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
