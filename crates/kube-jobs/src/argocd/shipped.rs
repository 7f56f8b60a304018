//! The helm and the kustomize of each release of Argo CD 3.2 to 3.6.
//!
//! `release/argocd-tools` and the tables in docs/versions.md and docs/adopt.md are generated from this table. The sidecar and `preview` warn
//! when the program that they run is another one.

use super::Version;

/// Releases of one minor version that have the same helm and kustomize (`hack/tool-versions.sh`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// The first of them.
    pub first: Version,
    /// The last of them; if it is the newest that this program knows, a later one may have others.
    pub last: Version,
    /// The version of its helm.
    pub helm: &'static str,
    /// The version of its kustomize.
    pub kustomize: &'static str,
    /// Whether its helm keeps a null in the `values.yaml` of a chart, and lets it remove a value of a dependency: `testdata/render/nulls` has what
    /// each of them prints.
    pub keeps_nulls: bool,
}

/// All known releases, sorted.
pub const SHIPPED: &[Shipped] = &[
    Shipped {
        first: Version::new(3, 2, 0),
        last: Version::new(3, 2, 12),
        helm: "3.18.4",
        kustomize: "5.7.0",
        keeps_nulls: true,
    },
    Shipped {
        first: Version::new(3, 3, 0),
        last: Version::new(3, 3, 0),
        helm: "3.19.4",
        kustomize: "5.8.0",
        keeps_nulls: true,
    },
    Shipped {
        first: Version::new(3, 3, 1),
        last: Version::new(3, 3, 19),
        helm: "3.19.4",
        kustomize: "5.8.1",
        keeps_nulls: true,
    },
    Shipped {
        first: Version::new(3, 4, 0),
        last: Version::new(3, 4, 13),
        helm: "3.19.4",
        kustomize: "5.8.1",
        keeps_nulls: true,
    },
    Shipped {
        first: Version::new(3, 5, 0),
        last: Version::new(3, 5, 7),
        helm: "4.2.1",
        kustomize: "5.8.1",
        keeps_nulls: false,
    },
    Shipped {
        first: Version::new(3, 6, 0),
        last: Version::new(3, 6, 1),
        helm: "4.3.1",
        kustomize: "5.8.3",
        keeps_nulls: false,
    },
];

impl Shipped {
    /// The version of the program with this name. None for any other program.
    pub fn version_of(&self, program: &str) -> Option<&'static str> {
        match program {
            "helm" => Some(self.helm),
            "kustomize" => Some(self.kustomize),
            _ => None,
        }
    }
}

impl Version {
    /// What this release ships. None for a release that the table does not have.
    pub fn ships(self) -> Option<&'static Shipped> {
        let newest = SHIPPED.iter().rfind(|row| self.is_newest_of(row.last));
        newest.or_else(|| SHIPPED.iter().find(|row| (row.first..=row.last).contains(&self)))
    }

    /// `version`, if `program` of that version is another one than that of this release, as a warning without its end: `helm 4.2.1 is not that of Argo CD 3.4,
    /// which has 3.19.4`. None also if the table does not have the release, and for any other program.
    pub fn differs(self, program: &str, version: &str) -> Option<String> {
        let shipped = self.ships()?.version_of(program)?;
        let found = version.trim().trim_start_matches('v');
        (found != shipped).then(|| format!("{program} {found} is not that of Argo CD {self}, which has {shipped}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ships(text: &str) -> Option<(&'static str, &'static str)> {
        Version::parse(text).unwrap().ships().map(|row| (row.helm, row.kustomize))
    }

    #[test]
    fn each_known_release_has_one_row() {
        assert!(SHIPPED.iter().all(|row| row.first <= row.last));
        assert!(SHIPPED.windows(2).all(|pair| pair[0].last < pair[1].first));
        assert_eq!(ships("3.2.11"), Some(("3.18.4", "5.7.0")));
        assert_eq!(ships("3.3.0"), Some(("3.19.4", "5.8.0")));
        assert_eq!([ships("3.3.14"), ships("3.3"), ships("3.4.7")], [Some(("3.19.4", "5.8.1")); 3]);
        assert_eq!(ships("3.5.1"), Some(("4.2.1", "5.8.1")));
        assert_eq!(
            [ships("3.6.1"), ships("3.6"), Version::NEWEST.ships().map(|row| (row.helm, row.kustomize))],
            [Some(("4.3.1", "5.8.3")); 3]
        );
        assert_eq!([ships("3.1"), ships("3.6.2"), ships("3.7")], [None; 3]);
    }

    #[test]
    fn only_another_version_is_told() {
        let version = Version::parse("3.4").unwrap();
        assert_eq!(version.differs("helm", "v3.19.4\n"), None);
        assert_eq!(
            version.differs("helm", "v4.2.1").as_deref(),
            Some("helm 4.2.1 is not that of Argo CD 3.4, which has 3.19.4")
        );
        assert_eq!(version.differs("kubectl", "v1.36.0"), None);
        assert_eq!(Version::parse("3.9").unwrap().differs("helm", "v1.0.0"), None);
    }
}
