//! Themes group findings, so that people can read the list of all of them.

/// The subject of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Theme {
    /// Hook types and delete policies.
    Hooks,
    /// The names of Jobs.
    Names,
    /// The order of a sync.
    Order,
    /// Changes of a Job.
    Updates,
    /// The conditions under which a Job runs again, or does not.
    Runs,
    /// YAML, fields and the API.
    Manifests,
    /// The settings of this program.
    Settings,
}

impl Theme {
    /// All themes, in the order of the page of findings.
    pub const ALL: [Self; 7] =
        [Self::Hooks, Self::Names, Self::Order, Self::Updates, Self::Runs, Self::Manifests, Self::Settings];

    /// The heading of the theme.
    pub fn title(self) -> &'static str {
        match self {
            Self::Hooks => "Hooks",
            Self::Names => "Names",
            Self::Order => "Phases and waves",
            Self::Updates => "Updates and sync options",
            Self::Runs => "When a Job runs again",
            Self::Manifests => "Manifests",
            Self::Settings => "Settings of argocd-jobs",
        }
    }

    /// One sentence about the findings of the theme.
    pub fn about(self) -> &'static str {
        match self {
            Self::Hooks => {
                "Argo CD knows hook types and delete policies only in their exact spelling, and silently ignores anything else."
            }
            Self::Names => {
                "A Job's name decides whether Argo CD updates a Job or creates another one, and whether anything else finds it."
            }
            Self::Order => {
                "A sync waits for hooks and Jobs, phase by phase and wave by wave; in the wrong order it waits forever."
            }
            Self::Updates => "Most fields of a Job are immutable, so a changed Job needs more than `kubectl apply`.",
            Self::Runs => {
                "Jobs that run again although nothing changed, and Jobs that do not run although something did."
            }
            Self::Manifests => {
                "Manifests that Argo CD or the API server rejects, or reads differently from what they seem to say."
            }
            Self::Settings => {
                "Settings of this program that have no effect, and Jobs or sources that it cannot process."
            }
        }
    }
}
