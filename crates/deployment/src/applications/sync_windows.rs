//! The sync windows of AppProjects, and what they mean for an Application (`SyncWindows` in
//! `pkg/apis/application/v1alpha1/types.go`, Argo CD 3.5).
//!
//! This module uses no clock: it does not say whether a window is open now, only whether it is open always, never or
//! at some times.

use std::collections::BTreeMap;

use goyaml::{Node, Value};
use kube_jobs::argocd::{self, Glob, SyncWindows};
use kube_jobs::kubernetes::dns;
use kube_jobs::kubernetes::list::each_object;
use rewrite::settings::Type::{Fields, List, Switch, Text};
use rewrite::settings::{TEXTS, Type, Unknown, typed};
use text::listed;

/// The fields of an AppProject that are read.
const SPEC: Type = Fields(&[(
    "syncWindows",
    List(&Fields(&[
        ("kind", Text),
        ("schedule", Text),
        ("duration", Text),
        ("applications", TEXTS),
        ("namespaces", TEXTS),
        ("clusters", TEXTS),
        ("manualSync", Switch),
        ("timeZone", Text),
        ("andOperator", Switch),
    ])),
)]);

/// The maximum number of windows that a text lists.
const TOLD: usize = 4;

/// The maximum number of characters of a schedule or a duration in a text.
const MAX_WORD: usize = 60;

/// The fields of an Application by which sync windows choose it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenBy {
    /// `metadata.name`
    name: String,
    /// `spec.destination.name` and `spec.destination.server`, without empty ones.
    pub(crate) clusters: Vec<String>,
    /// `spec.destination.namespace`
    namespace: String,
}

impl ChosenBy {
    pub(super) fn of(application: Node<'_>) -> Self {
        let text = |path: &[&str]| application.text_at(path).unwrap_or_default().to_owned();
        let clusters = ["name", "server"].map(|key| text(&["spec", "destination", key]));
        Self {
            name: text(&["metadata", "name"]),
            clusters: clusters.into_iter().filter(|cluster| !cluster.is_empty()).collect(),
            namespace: text(&["spec", "destination", "namespace"]),
        }
    }
}

/// Whether there may be an AppProject in a text. If not, it need not be read.
pub fn may_have_projects(text: &str) -> bool {
    goyaml::may_contain(text, "AppProject")
}

/// AppProjects by name, each with its windows; `None` when they have a wrong type. Several projects can have the same
/// name.
#[derive(Debug, Default)]
pub struct Projects(BTreeMap<String, Vec<Option<Vec<Window>>>>);

impl Projects {
    /// Adds the AppProjects in a text. Ignores documents that are not valid YAML, such as templates.
    pub fn add(&mut self, text: &str) {
        each_object(text, may_have_projects, |node| {
            let is_of_group = node.text_at(&["apiVersion"]).is_some_and(|text| text.starts_with("argoproj.io/"));
            let name = node.text_at(&["metadata", "name"]).unwrap_or_default();
            if is_of_group && node.text_at(&["kind"]) == Some("AppProject") && dns::subdomain(name).is_ok() {
                self.0.entry(name.to_owned()).or_default().push(windows(node));
            }
        });
    }

    /// Whether any project has this name.
    pub fn have(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// What the windows of the project `name` mean for an Application; `None` when all its syncs may start at any
    /// time. When several projects with this name differ, it is unknown which one applies.
    pub fn say(&self, name: &str, application: &ChosenBy) -> Option<SyncWindows> {
        let unreadable = || (Says::AtTimes, format!("The sync windows of project `{name}` have a wrong type."));
        let say =
            |windows: &Option<Vec<Window>>| windows.as_ref().map_or_else(unreadable, |all| of(all, name, application));
        let all: Vec<(Says, String)> = self.0.get(name)?.iter().map(say).collect();
        let (first, text) = all.first()?;
        let never = match first {
            Says::Always if all.iter().all(|(says, _)| says == first) => return None,
            Says::Never(why) if all.iter().all(|(says, _)| says == first) => Some(why.clone()),
            _ => None,
        };
        let text = match all.iter().all(|(_, other)| other == text) {
            true => text.clone(),
            false => format!("This repository has several projects `{name}`, with different sync windows."),
        };
        Some(SyncWindows { project: name.to_owned(), never, text })
    }
}

/// When automated syncs may start.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Says {
    Always,
    AtTimes,
    Never(String),
}

/// When syncs of an Application may start, and a sentence about it (`CanSync`).
fn of(windows: &[Window], project: &str, application: &ChosenBy) -> (Says, String) {
    let matching: Vec<&Window> = windows.iter().filter(|window| window.chooses(application)).collect();
    let mut of_kind: BTreeMap<&str, Vec<(Open, &Window)>> = BTreeMap::new();
    for window in &matching {
        match window.is_open() {
            Ok(open) => of_kind.entry(&window.kind).or_default().push((open, window)),
            Err(what) => {
                let why = format!("Argo CD cannot read {what} of a sync window of project `{project}`");
                return (Says::Never(why), "No sync starts by hand either.".to_owned());
            }
        }
    }
    let mut taken = |kind: &str| of_kind.remove(kind).unwrap_or_default();
    let (mut allowed, denied) = (taken("allow"), taken("deny"));
    let any = |of_kind: &[(Open, &Window)], open| of_kind.iter().any(|(found, _)| *found == open);
    if any(&allowed, Open::Always) {
        allowed.clear();
    }
    let is_never = any(&denied, Open::Always) || !allowed.is_empty() && !any(&allowed, Open::AtTimes);
    let says = match is_never {
        true => Says::Never(format!("the sync windows of project `{project}` never allow one")),
        false if any(&denied, Open::AtTimes) || !allowed.is_empty() => Says::AtTimes,
        false => Says::Always,
    };
    let [allowed, denied] = [allowed, denied].map(|of_kind| times(&of_kind));
    let allows = match (allowed.is_empty(), denied.is_empty()) {
        (true, _) => format!("allows no syncs {denied}"),
        (false, true) => format!("allows syncs only {allowed}"),
        (false, false) => format!("allows syncs only {allowed}, and none {denied}"),
    };
    (says, format!("Project `{project}` {allows}; {}.", by_hand(&matching)))
}

/// The times in words: `for 1h from `0 7 * * *` (UTC) or for 2h from `0 9 * * *` (UTC)`.
fn times(windows: &[(Open, &Window)]) -> String {
    let told: Vec<String> = windows.iter().take(TOLD).map(|(open, window)| window.told(*open)).collect();
    listed(&[told.join(" or ")], windows.len().saturating_sub(TOLD))
}

/// The words about syncs that a user starts.
fn by_hand(windows: &[&Window]) -> &'static str {
    match windows.iter().filter(|window| window.manual_sync).count() {
        0 => "this holds for syncs by hand too",
        count if count == windows.len() => "a sync by hand starts at any time (`manualSync`)",
        _ => "some of this holds for syncs by hand too",
    }
}

/// `SyncWindow`
#[derive(Debug)]
struct Window {
    kind: String,
    schedule: String,
    duration: String,
    applications: Vec<String>,
    namespaces: Vec<String>,
    clusters: Vec<String>,
    manual_sync: bool,
    time_zone: String,
    and_operator: bool,
}

/// How often a window is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Always,
    AtTimes,
    Never,
}

/// The windows of an AppProject; `None` when the API server would refuse them.
fn windows(project: Node<'_>) -> Option<Vec<Window>> {
    let Some(spec) = project.get("spec") else { return Some(Vec::new()) };
    let spec = typed(spec.value().ok()?, &SPEC, Unknown::Dropped).ok()?;
    let windows = spec.items_at(&["syncWindows"]);
    let window = |window: &Value| {
        let text = |key| window.text_at(&[key]).unwrap_or_default().to_owned();
        let texts = |key| window.texts_at(&[key]);
        let is_on = |key| window.is_true_at(&[key]);
        Window {
            kind: text("kind"),
            schedule: text("schedule"),
            duration: text("duration"),
            applications: texts("applications"),
            namespaces: texts("namespaces"),
            clusters: texts("clusters"),
            manual_sync: is_on("manualSync"),
            time_zone: text("timeZone"),
            and_operator: is_on("andOperator"),
        }
    };
    Some(windows.iter().map(window).collect())
}

impl Window {
    /// Whether the window applies to an Application (`SyncWindows.Matches`).
    fn chooses(&self, application: &ChosenBy) -> bool {
        let any = |globs: &[String], texts: &[String]| {
            let is_match = |glob: &String| texts.iter().any(|text| glob == "*" || Glob::new(glob).matches(text));
            (!globs.is_empty()).then(|| globs.iter().any(is_match))
        };
        let found = [
            any(&self.applications, std::slice::from_ref(&application.name)),
            any(&self.clusters, &application.clusters),
            any(&self.namespaces, std::slice::from_ref(&application.namespace)),
        ];
        let mut set = found.into_iter().flatten().peekable();
        match self.and_operator {
            true => set.peek().is_some() && set.all(|is_match| is_match),
            false => set.any(|is_match| is_match),
        }
    }

    /// How often the window is open (`SyncWindows.active`). The error names the schedule or duration that Argo CD
    /// cannot parse.
    fn is_open(&self) -> Result<Open, String> {
        let pause = argocd::longest_pause(&self.schedule)
            .ok_or_else(|| format!("the schedule `{}`", shortened(&self.schedule)))?;
        let duration = argocd::go_duration(&self.duration)
            .ok_or_else(|| format!("the duration `{}`", shortened(&self.duration)))?;
        Ok(match pause {
            _ if duration <= 0.0 => Open::Never,
            Some(pause) if f64::from(pause) * 60.0 <= duration => Open::Always,
            _ => Open::AtTimes,
        })
    }

    /// The times of the window in words: `daily 07:00–08:00 (UTC)`, `for 1h from `0 7,9 * * *` (UTC)`.
    fn told(&self, open: Open) -> String {
        if open == Open::Always {
            return "at any time".to_owned();
        }
        let zone = if self.time_zone.is_empty() { "UTC" } else { &self.time_zone };
        let words = argocd::go_duration(&self.duration).and_then(|time| argocd::in_words(&self.schedule, time));
        let [duration, schedule, zone] = [&self.duration, &self.schedule, zone].map(shortened);
        let when = words.unwrap_or_else(|| format!("for {duration} from `{schedule}`"));
        format!("{when} ({zone})")
    }
}

fn shortened(text: &str) -> String {
    text.char_indices().nth(MAX_WORD).map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What windows, each a flow map, mean for the Application `shop` with the destination `west`, `https://1.2.3.4`
    /// and the namespace `web`.
    fn says(windows: &str) -> Option<SyncWindows> {
        let application =
            "{metadata: {name: shop}, spec: {destination: {name: west, server: 'https://1.2.3.4', namespace: web}}}";
        let mut tree = goyaml::Tree::default();
        let application = ChosenBy::of(tree.read(application).unwrap().root().unwrap());
        let mut projects = Projects::default();
        projects.add(&format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {{name: prod}}\nspec: {{syncWindows: [{windows}]}}\n"
        ));
        projects.say("prod", &application)
    }

    #[test]
    fn a_window_chooses_by_any_or_by_all() {
        const OPEN: &str = "kind: deny, schedule: '0 1 * * *', duration: 1h";
        for (chosen, expected) in [
            ("", false),
            ("applications: ['*']", true),
            ("applications: [cart, 'sh?p']", true),
            ("applications: [cart]", false),
            ("clusters: [west]", true),
            ("clusters: ['https://*']", true),
            ("namespaces: [web]", true),
            ("applications: [cart], namespaces: [web]", true),
            ("applications: [cart], namespaces: [web], andOperator: true", false),
            ("applications: [shop], namespaces: [web], andOperator: true", true),
            ("clusters: [west], namespaces: [x], andOperator: true", false),
            ("andOperator: true", false),
        ] {
            assert_eq!(says(&format!("{{{OPEN}, {chosen}}}")).is_some(), expected, "{chosen}");
        }
    }

    #[test]
    fn what_is_always_open_or_never_decides() {
        let window = |kind: &str, schedule: &str, duration: &str| {
            format!("{{kind: {kind}, schedule: '{schedule}', duration: {duration}, applications: ['*']}}")
        };
        let [always, at_times, never] =
            ["24h", "1h", "0s"].map(|duration| ["allow", "deny"].map(|kind| window(kind, "0 0 * * *", duration)));
        // `None`: syncs start at any time; otherwise, whether they never start.
        for (windows, expected) in [
            (vec![], None),
            (vec![&always[0]], None),
            (vec![&at_times[0]], Some(false)),
            (vec![&at_times[0], &always[0]], None),
            (vec![&never[0]], Some(true)),
            (vec![&never[0], &at_times[0]], Some(false)),
            (vec![&always[1]], Some(true)),
            (vec![&always[1], &always[0]], Some(true)),
            (vec![&at_times[1]], Some(false)),
            (vec![&at_times[1], &always[0]], Some(false)),
            (vec![&never[1]], None),
        ] {
            let text = windows.iter().map(|window| window.as_str()).collect::<Vec<_>>().join(", ");
            assert_eq!(says(&text).map(|windows| windows.never.is_some()), expected, "{text}");
        }
        // A window of another kind has no effect, but its schedule is parsed.
        assert_eq!(says(&window("Deny", "* * * * *", "1h")), None);
        assert!(says(&window("Deny", "@daily", "1h")).unwrap().never.is_some());
        assert_eq!(says("{kind: 1}").unwrap().never, None);
    }
}
