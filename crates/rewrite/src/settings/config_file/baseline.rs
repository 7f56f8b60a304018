//! Reads the content hashes (`baseline`) of a config file and writes new ones into it. Every other byte of the file
//! stays.

use std::collections::BTreeMap;

use goyaml::edit::{in_place, line_break};
use goyaml::value::Map;
use goyaml::{Change, Target, Tree, Value, json, path};
use text::is_unseen;

use super::ConfigFile;
use crate::settings::{Baseline, Provenance};

const KEY: &str = "baseline";

/// Content hashes by `namespace/name`, or by `name` where the namespace is unknown.
pub type Hashes = BTreeMap<String, String>;

/// The text of a config file with hashes in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The whole text, ready to be written.
    pub text: String,
    /// How many entries the config file did not have before.
    pub added: usize,
    /// How many entries had a different hash before.
    pub changed: usize,
}

/// The baseline at the top of a config file.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Empty when the file has no baseline.
    pub hashes: Hashes,
    /// The place of the baseline; `None` when the file has none.
    pub by: Option<Provenance>,
}

/// Reads the baseline at the top level of a config file; `None` when the text is not a valid config file.
pub fn read(text: &str) -> Option<Written> {
    let file = ConfigFile::parse(text).ok()?;
    let Some(setting) = file.top.baseline.as_deref() else { return Some(Written::default()) };
    let hashes = match &setting.value {
        Baseline::ByName(hashes) => hashes.clone(),
        Baseline::OfThisJob(_) => Hashes::new(),
    };
    Some(Written { hashes, by: Some(setting.by.clone()) })
}

/// Prints the hashes as a complete config file.
pub fn print(hashes: &Hashes) -> String {
    if hashes.is_empty() { format!("{KEY}: {{}}\n") } else { format!("{KEY}:\n{}", lines(hashes, "\n")) }
}

/// Writes hashes into the text of a config file, which must not begin with a byte order mark. Entries for other names
/// stay. Returns `None` when the text is not a valid config file, and when no edit in place gives exactly these hashes and
/// leaves everything else as it was: for example because the baseline has aliases or merge keys.
pub fn merge(text: &str, hashes: &Hashes) -> Option<Merged> {
    let before = hashes_of(text)?;
    let new: Hashes = hashes
        .iter()
        .filter(|(name, hash)| before.get(*name) != Some(hash))
        .map(|(name, hash)| (name.clone(), hash.clone()))
        .collect();
    let changed = new.keys().filter(|name| before.contains_key(*name)).count();
    let added = new.len() - changed;
    if new.is_empty() {
        return Some(Merged { text: text.to_owned(), added, changed });
    }
    let mut wanted = before;
    wanted.extend(new.clone());
    let rest = others(text)?;
    let is_right =
        |merged: &String| hashes_of(merged).as_ref() == Some(&wanted) && others(merged).as_ref() == Some(&rest);
    // Try the end of the file first, where no comment is separated from its key; then an existing baseline.
    let ways = [appended, in_empty, in_place_of];
    let text = ways.iter().filter_map(|way| way(text, &new)).find(is_right)?;
    Some(Merged { text, added, changed })
}

/// Appends a new baseline at the end of the text.
fn appended(text: &str, new: &Hashes) -> Option<String> {
    let eol = line_break(text);
    let gap = if text.is_empty() || text.ends_with(['\n', '\r']) { "" } else { eol };
    Some(format!("{text}{gap}{KEY}:{eol}{}", lines(new, eol)))
}

/// Replaces the `{}` that `argocd-jobs preview --baseline` prints when there are no Jobs.
fn in_empty(text: &str, new: &Hashes) -> Option<String> {
    let mut tree = Tree::default();
    let node = tree.read(text).ok()?.root()?.get(KEY)?;
    if !node.is_map() || node.entries().next().is_some() {
        return None;
    }
    let eol = line_break(text);
    let before = text[..node.span().start].trim_end_matches([' ', '\t']);
    let lines = lines(new, eol);
    Some(format!("{before}{eol}{}{}", lines.trim_end_matches(['\n', '\r']), &text[node.span().end..]))
}

/// Adds entries to the existing baseline, and replaces hashes that differ.
fn in_place_of(text: &str, new: &Hashes) -> Option<String> {
    let mut tree = Tree::default();
    let document = tree.read(text).ok()?;
    let set = |(name, hash): (&String, &String)| Change::set(path![KEY, name.as_str()], Value::String(hash.into()));
    let edits = in_place(document, [Target { item: None, changes: new.iter().map(set).collect() }].as_slice())?;
    Some(edits.apply(text))
}

fn hashes_of(text: &str) -> Option<Hashes> {
    read(text).map(|written| written.hashes)
}

/// Everything that the text sets apart from the baseline, read as Argo CD would read it.
fn others(text: &str) -> Option<Value> {
    match Value::read(text).ok()? {
        Value::Map(mut map) => {
            map.remove(KEY);
            Some(Value::Map(map))
        }
        Value::Null => Some(Value::Map(Map::default())),
        other => Some(other),
    }
}

fn lines(hashes: &Hashes, eol: &str) -> String {
    hashes.iter().map(|(name, hash)| format!("  {}: {}{eol}", key(name), json::quote(hash))).collect()
}

/// The key of an entry, in quotes unless every YAML reader reads it as a string.
fn key(name: &str) -> String {
    let plain = |found: char| found.is_ascii_alphanumeric() || matches!(found, '-' | '.' | '/');
    let is_word = name.starts_with(|found: char| found.is_ascii_lowercase()) && name.contains(['-', '/']);
    if is_word && name.chars().all(plain) { name.to_owned() } else { quoted(name) }
}

/// The name in quotes. Invisible characters are escaped, and so is `##[`, which CI runners read as a command when it
/// is in a log.
fn quoted(name: &str) -> String {
    let escaped = |found: char| match u32::from(found) {
        _ if !is_unseen(found) => found.to_string(),
        code @ ..=0xffff => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    };
    json::quote(name).chars().map(escaped).collect::<String>().replace("##[", "#\\x23[")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(names: &[(&str, &str)]) -> Hashes {
        names.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect()
    }

    const NEW: [(&str, &str); 2] = [("shop/a", "fg6t5fhk55"), ("shop/b", "cdfbtg8fh5")];

    #[test]
    fn every_name_is_read_as_it_was() {
        for name in ["a", "shop/a", "::error::x", "##[error]x \\", "\u{202e}\u{200b}\u{e0041}\n", "é 🚀 \" `"] {
            let text = key(name);
            assert!(!text.contains(is_unseen) && !text.contains("##["), "{text}");
            assert_eq!(Value::read(&format!("{text}: x\n")).unwrap().text_at(&[name]), Some("x"));
        }
    }

    #[test]
    fn a_name_that_may_be_no_text_is_in_quotes() {
        assert_eq!(key("shop/migrate"), "shop/migrate");
        for name in ["yes", "null", "on", "2026-11-23", "1-2", "0x1/2", "-", "12"] {
            assert_eq!(key(name), format!("\"{name}\""));
        }
    }

    #[test]
    fn what_is_printed_is_what_is_read() {
        let new = hashes(&NEW);
        assert_eq!(hashes_of(&print(&new)), Some(new.clone()));
        assert_eq!(merge("", &new).unwrap().text, print(&new));
        assert_eq!(hashes_of(&print(&Hashes::new())), Some(Hashes::new()));
    }

    #[test]
    fn a_second_time_changes_nothing() {
        for before in ["", "strategy: hook\n", "baseline: {}\n", "baseline: {x/y: gh2k456789}", "# a\r\nttl: 1\r\n"] {
            let once = merge(before, &hashes(&NEW)).unwrap();
            assert_eq!((once.added, once.changed), (2, 0), "{before:?}");
            let twice = merge(&once.text, &hashes(&NEW)).unwrap();
            assert_eq!(twice, Merged { added: 0, changed: 0, ..once });
        }
    }

    #[test]
    fn every_other_byte_stays() {
        let new = hashes(&NEW);
        let lines = "baseline:\n  shop/a: \"fg6t5fhk55\"\n  shop/b: \"cdfbtg8fh5\"\n";
        for before in [
            "# only a comment\n",
            "---\n# with a marker\nstrategy: hook # why\n",
            "rules: # all\n  # one\n  - match: {name: a}\n    strategy: keep\n# the end\n",
            "ttl: 1\n\n\n",
        ] {
            assert_eq!(merge(before, &new).unwrap().text, format!("{before}{lines}"));
        }
        assert_eq!(merge("ttl: 1", &new).unwrap().text, format!("ttl: 1\n{lines}"));
        let merged = merge("ttl: 1 # é\r\nwave: 2", &new).unwrap().text;
        assert_eq!(merged, format!("ttl: 1 # é\r\nwave: 2\r\n{}", lines.replace('\n', "\r\n")));
    }

    #[test]
    fn a_text_at_the_end_of_the_file_stays() {
        // The value of `rerun` is part of every hash.
        let rerun = |text: &str| ConfigFile::parse(text).unwrap().top.rerun.map(|setting| setting.value.clone());
        for old in ["ttl: 1\nrerun: |\n  x", "rerun: |+\n  x", "ttl: 1\nrerun: >\n  x", "rerun: |-\n  x"] {
            let merged = merge(old, &hashes(&NEW)).unwrap().text;
            assert_eq!(rerun(&merged), rerun(old), "{merged}");
        }
    }

    #[test]
    fn a_baseline_that_is_there_is_completed() {
        let old = "# live\nbaseline:\n    # runs at night\n    shop/a: 'gh2k456789' # 1.4\n    other/x: gh2k456789\n\nttl: 5 # s\n";
        let merged = merge(old, &hashes(&NEW)).unwrap();
        assert_eq!((merged.added, merged.changed), (1, 1));
        let wanted = old
            .replace("shop/a: 'gh2k456789'", "shop/a: 'fg6t5fhk55'")
            .replace("other/x: gh2k456789\n", "other/x: gh2k456789\n    shop/b: cdfbtg8fh5\n");
        assert_eq!(merged.text, wanted);
        for (old, wanted) in [
            ("baseline: {}\nttl: 5\n", "baseline:\n  shop/a: \"fg6t5fhk55\"\n  shop/b: \"cdfbtg8fh5\"\nttl: 5\n"),
            ("{ttl: 5, baseline: {}}", "{ttl: 5, baseline: {\"shop/a\": \"fg6t5fhk55\", \"shop/b\": \"cdfbtg8fh5\"}}"),
        ] {
            assert_eq!(merge(old, &hashes(&NEW)).unwrap().text, wanted);
        }
    }

    #[test]
    fn what_cannot_be_kept_is_not_touched() {
        for old in [
            "strategy: nonsense\n",
            "ttl: 1\nttl: 2\n",
            "- a\n",
            "baseline: [a]\n",
            "a: [\n",
            "x\n---\ny\n",
            "rules:\n  - match: {}\n    baseline: &b {x: gh2k456789}\nbaseline: *b\n",
        ] {
            assert_eq!(merge(old, &hashes(&NEW)), None, "{old:?}");
        }
    }
}
