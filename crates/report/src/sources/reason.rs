//! Why a source was not checked, in a few words for a row of a table.
//!
//! Helm and kustomize begin their messages with where they were, and have what is missing somewhere in the middle. The whole message is in the
//! finding `not-rendered`.

use std::cmp::Reverse;

use deployment::row::{Outcome, Row};
use text::split_help;

use crate::grouped::grouped;

/// The most characters.
const MOST: usize = 60;

/// How many different `help:` lines are printed at most.
const HELPS: usize = 5;

/// The whole reason on one line, without the `path` of the source and the help, which the table and the lines below it have.
pub(super) fn whole(path: &str, reason: &str) -> String {
    let reason = without_path(path, reason);
    split_help(reason).0.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The `help:` lines of the sources that were not checked, each with the path of the first source and the number of sources that have it; the most
/// frequent first.
pub(super) fn helps(rows: &[Row]) -> Vec<(String, &str, usize)> {
    let with_help = rows.iter().filter_map(|row| match &row.outcome {
        Outcome::NotChecked(reason) => Some((row.path.as_str(), split_help(reason).1?)),
        Outcome::Read { .. } => None,
    });
    let alike = grouped(with_help, |(path, help)| of_any(path, help)).into_iter().map(|alike| {
        let (path, help) = alike[0];
        (if alike.len() == 1 { help.to_owned() } else { of_any(path, help) }, path, alike.len())
    });
    let mut helps: Vec<(String, &str, usize)> = alike.collect();
    helps.sort_by_key(|(.., count)| Reverse(*count));
    helps.truncate(HELPS);
    helps
}

/// A help as it is for any source: with `DIR` in the place of the `path` in a command.
fn of_any(path: &str, help: &str) -> String {
    help.replace(&format!(" ./{path} |"), " DIR |").replace(&format!(" {path} |"), " DIR |")
}

fn without_path<'r>(path: &str, reason: &'r str) -> &'r str {
    reason.strip_prefix(path).and_then(|rest| rest.strip_prefix('/')).unwrap_or(reason)
}

/// The reason of an error with its help, without the `path` of the source: what is missing, where that is known, else the beginning of
/// the error.
pub(super) fn short(path: &str, reason: &str) -> String {
    let reason = without_path(path, reason);
    let (said, help) = split_help(reason);
    let help = help.unwrap_or_default();
    if let Some((needed, _)) = said.split_once(NOT_VENDORED).filter(|_| said.starts_with("needs ")) {
        return needed.to_owned();
    }
    // Tools have many ways to say it.
    if help.contains("--network allow") {
        return "needs the network (`--network allow`)".to_owned();
    }
    let options =
        [("HelmChartInflationGenerator", "needs `--enable-helm`"), ("is not in or below", "needs `--load-restrictor`")];
    let option = || options.iter().find(|(part, _)| help.contains("--kustomize-build-options") && said.contains(part));
    let needs = if help.contains("helm.apiVersions") { "needs `helm.apiVersions`" } else { "chart needs values" };
    let found = missing_value(said)
        .map(|value| if value.is_empty() { needs.to_owned() } else { format!("{needs}: {value}") })
        .or_else(|| option().map(|(_, needs)| (*needs).to_owned()))
        .or_else(|| missing_file(said).map(|file| format!("no such file: {}", end_of(file))))
        .unwrap_or_else(|| without_tool(said.lines().next().unwrap_or_default()).to_owned());
    cut(&found, said.contains(FAILED))
}

/// The words after the name of a missing dependency.
const NOT_VENDORED: &str = ", which is not in `charts`";

/// What stands between the call of a tool and its message.
const FAILED: &str = "` failed: ";

/// How many characters of the beginning of a long reason are shown.
const BEGINNING: usize = 20;

/// A reason in at most [`MOST`] characters: its beginning; of a tool the first words and the last ones, because tools say the cause last.
fn cut(reason: &str, is_of_tool: bool) -> String {
    let count = reason.chars().count();
    if count <= MOST {
        return reason.to_owned();
    }
    let at = |index: usize| reason.char_indices().nth(index).map_or(reason.len(), |(at, _)| at);
    if !is_of_tool {
        return format!("{}…", reason[..at(MOST)].trim_end());
    }
    let (first, last) = (&reason[..at(BEGINNING)], &reason[at(count + BEGINNING + 3 - MOST)..]);
    let first = first.rfind(' ').map_or(first, |space| &first[..space]);
    let last = last.find(' ').map_or(last, |space| &last[space..]);
    format!("{} … {}", first.trim_end(), last.trim_start())
}

/// What the message of a tool says, without the call and the word `Error`.
fn without_tool(line: &str) -> &str {
    let said = line.split_once(FAILED).map_or(line, |(_, said)| said);
    said.strip_prefix("Error: ").unwrap_or(said)
}

/// The value that a chart asks for: the text of `required` and `fail`, the field that is null, the first line of its schema's complaint.
fn missing_value(said: &str) -> Option<&str> {
    if let Some((_, rest)) = said.split_once("execution error at (") {
        return rest.split_once("): ")?.1.lines().next();
    }
    if said.contains("nil pointer evaluating") {
        let (_, rest) = said.split_once("<.Values.").or_else(|| said.split_once("<$.Values."))?;
        return rest.split_once('>').map(|(field, _)| field);
    }
    if said.contains("values don't meet the specifications") {
        return said.lines().find_map(|line| line.trim_start().strip_prefix("- "));
    }
    None
}

/// The path of the missing file in a message of kustomize; as the kustomization writes it, if the message is about that file and not about one
/// that it refers to.
fn missing_file(said: &str) -> Option<&str> {
    let (before, _) = said.split_once(": no such file or directory")?;
    let path = before.rsplit(char::is_whitespace).next()?.trim_matches(['\'', '"', '`']);
    let written =
        before.rsplit_once("resources from '").and_then(|(_, rest)| rest.split_once('\'')).map(|(file, _)| file);
    let is_the_same = |written: &&str| path.ends_with(written.trim_start_matches("../").trim_start_matches("./"));
    Some(written.filter(is_the_same).unwrap_or(path)).filter(|file| !file.is_empty())
}

/// Shortens a path that is too long for a row to its end, because the name of the file is most important.
fn end_of(path: &str) -> String {
    let most = MOST - "no such file: ".len();
    match path.char_indices().rev().nth(most - 1) {
        Some((start, _)) if start > 0 => {
            let cut = path[start..].find('/').map_or(start, |slash| start + slash);
            format!("…{}", &path[cut..])
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_many_names_none() {
        let help = "render first: `helm template ./a/b | argocd-jobs check -`";
        assert_eq!(of_any("a/b", help), "render first: `helm template DIR | argocd-jobs check -`");
        assert_eq!(of_any("a", help), help);
    }

    #[test]
    fn what_is_missing_is_named() {
        let cases = [
            ("x\nhelp: allow it with `--network allow`", "needs the network (`--network allow`)"),
            (
                "`kustomize build` failed: Error: trouble configuring builtin HelmChartInflationGenerator with config: `\nname: x`: must \
                 specify --enable-helm\nhelp: allow it with `--kustomize-build-options`",
                "needs `--enable-helm`",
            ),
            (
                "`helm template` failed: Error: execution error at (shop/templates/job.yaml:1:4): image.tag is required",
                "chart needs values: image.tag is required",
            ),
            (
                "`helm template` failed: Error: template: shop/templates/a.yaml:7:20: executing \"shop/templates/a.yaml\" at \
                 <.Values.image.tag>: nil pointer evaluating interface {}.tag",
                "chart needs values: image.tag",
            ),
            (
                "`helm template` failed: Error: values don't meet the specifications of the schema(s) in the following chart(s):\nshop:\n- \
                 image: tag is required\n",
                "chart needs values: image: tag is required",
            ),
            (
                "`kustomize build` failed: Error: accumulating resources: accumulation err='accumulating resources from '../base': open \
                 /r/base: no such file or directory': must build at directory",
                "no such file: ../base",
            ),
            (
                "`kustomize build` failed: Error: accumulating resources: accumulation err='accumulating resources from '../../operator/fast': \
                 'a/operator/fast' must resolve to a file': recursed accumulation of path 'a/operator/fast': accumulating components: \
                 loader.New \"must build at directory: not a valid directory: evalsymlink failure on 'clusters/components/operator/wait-for-mesh' : \
                 lstat clusters/components/operator/wait-for-mesh: no such file or directory\"",
                "no such file: clusters/components/operator/wait-for-mesh",
            ),
            (
                "open components/operators/openshift-ai/operator/wait-for-servicemesh: no such file or directory",
                "no such file: …/openshift-ai/operator/wait-for-servicemesh",
            ),
            (
                "`helm template` failed: Error: execution error at (shop/templates/check.yaml:1:4): operator CRDs not found\nhelp: name it: \
                 `helm.apiVersions`",
                "needs `helm.apiVersions`: operator CRDs not found",
            ),
            (
                "needs the dependency `common`, which is not in `charts`: the template `common.x`",
                "needs the dependency `common`",
            ),
            ("cannot read: open /r/values.yaml: no such file or directory", "no such file: /r/values.yaml"),
            ("`helm template` failed: Error: chart is broken", "chart is broken"),
            (
                "broken/.argocd-jobs.yaml:1:1: unknown key `x`\nhelp: no",
                "broken/.argocd-jobs.yaml:1:1: unknown key `x`",
            ),
            (": no such file or directory", ": no such file or directory"),
        ];
        for (reason, expected) in cases {
            assert_eq!(short("", reason), expected);
        }
    }

    #[test]
    fn of_a_long_message_of_a_tool_the_cause_is_shown() {
        assert_eq!(short("", &"é".repeat(99)), format!("{}…", "é".repeat(MOST)));
        assert_eq!(cut(&"é".repeat(99), true), format!("{} … {}", "é".repeat(20), "é".repeat(37)));
        assert_eq!(
            short(
                "",
                "`kustomize build` failed: Error: loading generator plugins: failed to load generator: external plugins disabled; unable to load external plugin 'ksops.yaml'"
            ),
            "loading generator … to load external plugin 'ksops.yaml'"
        );
    }
}
