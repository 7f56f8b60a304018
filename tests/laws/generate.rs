//! Runs `generate` through the library, because a process for each of thousands of inputs takes too long.
//! `support::library` tests that the program prints the same.

use goyaml::{Value, split};
use kube_jobs::argocd::Application;
use rewrite::settings::{CliParameter, RawLayers};
use source::{Source, read_version};
use text::diff;

/// The strategies that change Jobs.
pub(crate) const STRATEGIES: [&str; 5] = ["auto", "hash-name", "hook", "generate-name", "replace"];

/// The output of a run.
#[derive(Debug)]
pub(crate) struct Output {
    /// The whole standard output.
    pub(crate) stdout: Vec<u8>,
    /// The whole standard error. Messages are UTF-8; other bytes are shown as replacement characters.
    pub(crate) stderr: String,
    /// The exit status; `None` when a signal ended the program.
    pub(crate) status: Option<i32>,
}

impl Output {
    /// Whether the program succeeded and printed nothing on standard error.
    pub(crate) fn is_quiet_success(&self) -> bool {
        self.status == Some(0) && self.stderr.is_empty()
    }

    /// Standard output as text, for comparisons and messages.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// The result of `generate - --strategy <strategy>` with `bytes` on standard input; without a strategy, of `generate
/// -`.
pub(crate) fn generate(bytes: &[u8], strategy: Option<&str>) -> Output {
    generate_from(Source::stream(bytes), strategy, Application::default())
}

/// As [`generate`], but for any source, in an Application.
pub(crate) fn generate_from(source: Source, strategy: Option<&str>, application: Application) -> Output {
    match try_generate(source, strategy, application) {
        Ok(stdout) => Output { stdout, stderr: String::new(), status: Some(0) },
        Err(stderr) => Output { stdout: Vec::new(), stderr, status: Some(2) },
    }
}

fn try_generate(source: Source, strategy: Option<&str>, application: Application) -> Result<Vec<u8>, String> {
    let typed =
        |value: &str| CliParameter { name: "strategy".into(), written: "--strategy".into(), value: value.into() };
    let typed: Vec<CliParameter> = strategy.map(typed).into_iter().collect();
    let texts = RawLayers { command_line: &typed, ..RawLayers::default() };
    let version = read_version(source, &texts, application).map_err(|error| error.to_string())?;
    let plan = version.plan().map_err(|problems| problems[0].to_string())?;
    Ok(version.text(&plan).into_bytes())
}

/// The output of `--strategy keep`: the input without its byte order mark, and with a separator at the end where Argo
/// CD would trim an empty line. After JSON it would not, and neither for `\r\n`, because the remaining `\r` is a line
/// break, too.
pub(crate) fn as_printed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).to_vec();
    let pieces = split::split(&String::from_utf8_lossy(&bytes));
    let ends_in_json = !pieces.is_empty() && pieces.json == pieces.len();
    if !ends_in_json && bytes.ends_with(b"\n\n") {
        bytes.extend_from_slice(b"---\n");
    }
    bytes
}

/// A complaint when `generate` succeeds with a message, or refuses without a place or with output.
pub(crate) fn ends_badly(bytes: &[u8]) -> Option<String> {
    let output = generate(bytes, None);
    match output.status {
        Some(0) if output.stderr.is_empty() => None,
        Some(2) if output.stdout.is_empty() && begins_with_place(&output.stderr) => None,
        status => Some(format!("status {status:?}, stderr: {}", output.stderr)),
    }
}

/// Whether a message begins with `<stdin>: text` or `<stdin>:1:2: text`, possibly after `error: `.
pub(crate) fn begins_with_place(message: &str) -> bool {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let Some(rest) = message.strip_prefix("<stdin>") else { return false };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_text = |text: &str| text.chars().next().is_some_and(|first| first != '\n');
    if rest.strip_prefix(": ").is_some_and(has_text) {
        return true;
    }
    let parts: Vec<&str> = rest.splitn(4, ':').collect();
    matches!(parts[..], ["", line, column, text]
        if number(line) && number(column) && text.strip_prefix(' ').is_some_and(has_text))
}

/// The difference that `keep` makes; `None` when it makes none.
pub(crate) fn keep_changes(bytes: &[u8]) -> Option<String> {
    if memchr::memmem::find(bytes, b"argocd-jobs/strategy").is_some() {
        return None;
    }
    let output = generate(bytes, Some("keep"));
    let differs = output.status == Some(0) && output.stdout != as_printed(bytes);
    differs.then(|| complaint(&as_printed(bytes), &output.stdout))
}

/// Runs `generate` on its own output; returns the difference.
pub(crate) fn own_output_changes(bytes: &[u8], strategy: &str) -> Option<String> {
    let once = generate(bytes, Some(strategy));
    // Equal bytes give equal output.
    if once.status != Some(0) || once.stdout == bytes {
        return None;
    }
    let twice = generate(&once.stdout, Some(strategy));
    (twice.stdout != once.stdout || !twice.is_quiet_success())
        .then(|| complaint(&once.stdout, &twice.stdout) + &twice.stderr)
}

/// The difference in documents that contain no Job.
pub(crate) fn line_outside_jobs_changes(bytes: &[u8]) -> Option<String> {
    let output = generate(bytes, None);
    if output.status != Some(0) {
        return None;
    }
    let (before, after) = (as_printed(bytes), output.stdout);
    let (before, mut after) = (documents(&before), documents(&after));
    // A separator is added at the start when the output would otherwise begin with JSON.
    if after.len() == before.len() + 1 && after[0].is_empty() {
        after.remove(0);
    }
    if before.len() != after.len() {
        return Some(format!("{} documents became {}", before.len(), after.len()));
    }
    let is_allowed = |before: &str, after: &str| before == after || may_hold_a_job(before) || follows(before, after);
    let changed = before.iter().zip(&after).find(|(before, after)| !is_allowed(before, after));
    changed.map(|(before, after)| complaint(before.as_bytes(), after.as_bytes()))
}

/// Splits a stream at its separators; each document has its own. YAML after a JSON object needs no separator but may
/// get one, so it counts as a document.
fn documents(stream: &[u8]) -> Vec<String> {
    let mut documents = vec![String::new()];
    let stream = String::from_utf8_lossy(stream);
    let pieces = split::split(&stream);
    let (json, rest) = if pieces.json == 1 { stream.split_at(pieces.span(0).end) } else { ("", stream.as_ref()) };
    documents[0].push_str(json);
    let rest = if json.is_empty() { rest } else { rest.trim_start() };
    if !json.is_empty() && !rest.is_empty() && !rest.starts_with("---") {
        documents.push("---\n".to_owned());
    }
    for line in rest.split_inclusive('\n') {
        if line.starts_with("---") {
            documents.push(String::new());
        }
        if let Some(last) = documents.last_mut() {
            last.push_str(line);
        }
    }
    // This separator closes an empty line at the end, which a Job that is printed as JSON loses.
    documents.pop_if(|last| last == "---\n");
    documents
}

/// Whether a document may contain a Job: in plain text, with escapes, or in base64.
fn may_hold_a_job(document: &str) -> bool {
    ["Job", "\\", "binary"].iter().any(|text| document.contains(text))
}

/// Whether two texts differ only in the `resourceNames` of roles, which change with the names of Jobs.
fn follows(before: &str, after: &str) -> bool {
    let read = |text: &str| {
        let mut value = Value::read(text).ok()?;
        without_resource_names(&mut value);
        Some(value)
    };
    before.contains("resourceNames") && read(before).is_some_and(|before| read(after) == Some(before))
}

/// Empties the `resourceNames` of a Role or ClusterRole, also inside a list.
fn without_resource_names(value: &mut Value) {
    let Value::Map(map) = value else { return };
    if let Some(Value::List(items)) = map.get_mut("items") {
        items.iter_mut().for_each(without_resource_names);
    }
    let is_role = map.get("kind").and_then(Value::as_text).is_some_and(|kind| matches!(kind, "Role" | "ClusterRole"));
    if let Some(Value::List(rules)) = map.get_mut("rules").filter(|_| is_role) {
        for rule in rules {
            if let Value::Map(rule) = rule {
                rule.remove("resourceNames");
            }
        }
    }
}

/// The difference as text.
pub(crate) fn complaint(want: &[u8], got: &[u8]) -> String {
    diff::unified(&String::from_utf8_lossy(want), &String::from_utf8_lossy(got), "wanted", "got", 2)
}
