//! A version of Argo CD.

use std::fmt;

/// A version of Argo CD. Without a patch number it stands for the newest patch release of its minor version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

/// The patch number of a version that is written without one.
const NEWEST_PATCH: u32 = u32::MAX;

impl Version {
    /// The newest version whose behaviour this program knows.
    pub const NEWEST: Self = Self::new(3, 6, NEWEST_PATCH);

    /// The release `major.minor.patch`.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// The minor number.
    pub fn minor(self) -> u16 {
        u16::try_from(self.minor).unwrap_or(u16::MAX)
    }

    /// The newest patch release of the same minor version: `3.4` of `3.4.13`.
    #[must_use]
    pub fn without_patch(self) -> Self {
        Self { patch: NEWEST_PATCH, ..self }
    }

    /// Whether it stands for the newest patch release of the minor version of `known`.
    pub(super) fn is_newest_of(self, known: Self) -> bool {
        self == known.without_patch()
    }

    /// Parses `3.4`, `3.4.13`, or `v3.4.13+0a1b2c3` as `argocd version` prints it. None for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.strip_prefix('v').unwrap_or(text);
        let (numbers, build) =
            numbers.split_once('+').map_or((numbers, None), |(numbers, build)| (numbers, Some(build)));
        let is_build = |build: &str| !build.is_empty() && build.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !build.is_none_or(is_build) {
            return None;
        }
        let mut parts = numbers.split('.').map(number);
        let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next());
        if parts.next().is_some() {
            return None;
        }
        Some(Self::new(major, minor, patch.unwrap_or(Some(NEWEST_PATCH))?))
    }

    /// Whether this version has a change that came with the releases `since`: one for each minor version that got it, in ascending order. A minor
    /// version between them does not have the change; any version after the last one does.
    pub(super) fn is_since(self, since: &[Self]) -> bool {
        let minor = |version: &Self| (version.major, version.minor);
        let of_minor = since.iter().find(|first| minor(first) == minor(&self));
        match (of_minor, since.last()) {
            (Some(first), _) => self >= *first,
            (None, Some(last)) => self > *last,
            (None, None) => true,
        }
    }
}

impl Default for Version {
    fn default() -> Self {
        Self::NEWEST
    }
}

/// Parses a number of at most four digits, without sign and leading zeros.
fn number(text: &str) -> Option<u32> {
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_zeros = text.len() > 1 && text.starts_with('0');
    text.parse().ok().filter(|_| is_number && !has_zeros)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch == NEWEST_PATCH { Ok(()) } else { write!(f, ".{}", self.patch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_argo_cd_prints() {
        let shown = |text| Version::parse(text).map(|version| version.to_string());
        for (text, wanted) in
            [("3.4", "3.4"), ("3.10", "3.10"), ("v3.4.13", "3.4.13"), ("3.4.0", "3.4.0"), ("v3.5.7+5e2dcb4", "3.5.7")]
        {
            assert_eq!(shown(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "",
            "3",
            "v",
            "3.",
            "3.4.",
            "3.4.1.2",
            "3.x",
            " 3.4",
            "3.4 ",
            "+3.4",
            "3.04",
            "3.4.1+",
            "3.4.1-rc1",
            "99999.1",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn a_change_can_come_in_several_patch_releases() {
        let since = [Version::new(3, 3, 15), Version::new(3, 5, 3)];
        let has = |text| Version::parse(text).unwrap().is_since(&since);
        assert_eq!(["3.3.15", "3.3", "3.5.3", "3.5", "3.6.0", "4.0"].map(has), [true; 6]);
        assert_eq!(["3.2", "3.3.14", "3.4", "3.4.13", "3.5.2", "2.14"].map(has), [false; 6]);
        assert!(Version::parse("3.10").unwrap() > Version::parse("3.9.20").unwrap());
    }
}
