//! Runs the examples of findings: the wrong one gives its finding, the right one gives neither this nor any other
//! warning or error.

use std::collections::BTreeMap;
use std::sync::Arc;

use deployment::applications::{self, Checkout};
use kube_jobs::argocd::{Application, Retry, SyncPolicy, Uncovered};
use lint::examples::{Case, Example};
use lint::{Analysis, Check, Finding, Level, RULES, Rule, State};
use rewrite::manifest::{Chart, Differing, FixedValue, Manifest, Reader, TemplateRead};
use rewrite::settings::RawLayers;
use source::{Source, VersionError, read_version};
use text::{Origin, Span};

/// The maximum number of lines in an example. A longer one explains more than one thing.
const MAX_LINES: usize = 20;

#[test]
fn every_example_is_short_and_differs() {
    for Rule { id, example: Example { wrong, right, .. }, .. } in RULES {
        let all = |case: &Case| (case.manifest, case.config, case.template, case.retry, case.generate_paths);
        assert!(all(wrong) != all(right), "{id}: the examples are the same");
        for case in [wrong, right] {
            let lines = case.manifest.lines().count();
            assert!((5..=MAX_LINES).contains(&lines), "{id}: an example has {lines} lines");
        }
    }
}

#[test]
fn the_wrong_example_gives_its_finding() {
    let silent: Vec<String> = RULES.iter().filter_map(|rule| wrong_about_wrong(rule).err()).collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

fn wrong_about_wrong(rule: &Rule) -> Result<(), String> {
    let Rule { id, example, .. } = *rule;
    let found = findings(&example.wrong, rule, Plugin::Installed);
    let is_it = |finding: &lint::Finding| finding.rule.id == id && !matches!(finding.state, State::Ignored(_));
    if !found.iter().any(is_it) {
        return Err(format!("{id}: the wrong example does not give the finding, but:\n{}", listed(&found)));
    }
    // Another warning or error would draw the reader's attention to the wrong line.
    match open(&found).any(|finding| finding.rule.id != id && finding.level > Level::Info) {
        true => Err(format!("{id}: the wrong example gives another finding too:\n{}", listed(&found))),
        false => Ok(()),
    }
}

#[test]
fn the_right_example_gives_no_finding() {
    let noisy: Vec<String> = RULES.iter().filter_map(|rule| wrong_about_right(rule).err()).collect();
    assert!(noisy.is_empty(), "{}", noisy.join("\n"));
}

fn wrong_about_right(rule: &Rule) -> Result<(), String> {
    let Rule { id, example, .. } = *rule;
    for plugin in [Plugin::Installed, Plugin::Absent] {
        let found = findings(&example.right, rule, plugin);
        let is_it = |finding: &&lint::Finding| finding.rule.id == id && !matches!(finding.state, State::Ignored(_));
        // Without the plugin, every ordinary Job has this finding.
        let is_known = |id: &str| plugin == Plugin::Absent && id == "immutable-fields";
        let mut hurts = open(&found).filter(|finding| finding.level > Level::Info && !is_known(finding.rule.id));
        if found.iter().any(|finding| is_it(&finding)) || hurts.next().is_some() {
            return Err(format!("{id}: the right example gives a finding ({plugin:?}):\n{}", listed(&found)));
        }
    }
    Ok(())
}

/// Whether the plugin rewrites Jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plugin {
    Installed,
    Absent,
}

fn findings(case: &Case, rule: &Rule, plugin: Plugin) -> Vec<Finding> {
    let mut environment: BTreeMap<String, String> = BTreeMap::new();
    environment.extend(case.variable.map(|(name, value)| (name.to_owned(), value.to_owned())));
    if plugin == Plugin::Absent {
        environment.extend([("ARGOCD_JOBS_STRATEGY", "keep"), ("ARGOCD_JOBS_LOCK", "strategy")].map(owned));
    }
    let mut files = vec![("job.yaml", case.manifest.to_owned())];
    if !case.config.is_empty() {
        files.push((".argocd-jobs.yaml", case.config.join("\n") + "\n"));
    }
    let texts = RawLayers { environment: &environment, ..RawLayers::default() };
    let application = Application { name: Some("shop".to_owned()), sync: policy(case), ..Application::default() };
    match read_version(Source::files(files), &texts, application) {
        Ok(mut version) => {
            // The graph of Applications does so.
            let broken_sets = applications::rendered(&version.manifests, &Checkout::default()).broken_sets;
            version.application.broken_sets = broken_sets;
            if let Some(word) = case.differing {
                let at = case.manifest.find(word).unwrap();
                version.manifests[0] = version.manifests[0]
                    .clone()
                    .with_random(vec![Differing { span: Span::new(at, at + word.len()), is_dated: false }]);
            }
            if let Some(action) = case.template {
                version.manifests[0] = version.manifests[0].clone().with_chart(chart(action, case.manifest));
            }
            Analysis::of(&version).findings().unwrap().to_vec()
        }
        // The folder is one of several, and its error does not stop the others.
        Err(VersionError::Setting(error)) if matches!(rule.check, Check::Sources) => {
            vec![lint::not_rendered(None, &error.to_string())]
        }
        Err(error) => panic!("{}: {error}", rule.id),
    }
}

/// What is known of a chart with a template that prints the manifest with this action.
fn chart(action: &str, manifest: &str) -> Chart {
    let is_for_installations = action.contains(".Release.IsInstall");
    let nothing = || Manifest::new(Origin::StandardInput, String::new(), Reader::Stream);
    let values = [
        ("lookup", FixedValue::Lookup),
        (".Release.Revision", FixedValue::Revision),
        (") . | sha256sum", FixedValue::OtherFile),
    ];
    let read = |(_, value)| TemplateRead {
        piece: Span::new(0, manifest.len()),
        value,
        place: "templates/job.yaml:1:1".to_owned(),
    };
    let reads = values.into_iter().filter(|(word, _)| action.contains(word)).map(read).collect();
    Chart { upgrade: is_for_installations.then(nothing), reads }
}

/// The sync policy of the Application. None if it is unknown.
fn policy(case: &Case) -> Option<Arc<SyncPolicy>> {
    let mut sync = SyncPolicy::default();
    sync.options.extend(case.sync_option.map(ToOwned::to_owned));
    sync.retry = case.retry.and_then(|text| Retry::new(-1, text.contains("refresh: true"), Retry::PAUSES));
    let uncovered = Uncovered { paths: vec!["../base".to_owned()], wanted: ".;../base".to_owned(), at: None };
    sync.uncovered = case.generate_paths.filter(|paths| *paths == ".").map(|_| uncovered);
    Some(sync).filter(|sync| *sync != SyncPolicy::default()).map(Arc::new)
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn open(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.state == State::Open)
}

fn listed(findings: &[Finding]) -> String {
    let line = |finding: &lint::Finding| format!("    {} {:?}: {}\n", finding.rule.id, finding.state, finding.message);
    findings.iter().map(line).collect()
}
