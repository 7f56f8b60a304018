//! Versions and ranges of versions, as `github.com/Masterminds/semver` parses them: in templates of ApplicationSets, and as the revision of a
//! source, which Argo CD looks for among the tags of its repository.

use std::cmp::Ordering;
use std::sync::LazyLock;

use regex_lite::Regex;

/// A version. Minor and patch number may be missing in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) numbers: [u64; 3],
    pub(crate) prerelease: String,
    pub(crate) metadata: String,
    pub(crate) original: String,
}

impl Version {
    /// None for any other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let bare = text.strip_prefix('v').unwrap_or(text);
        let (bare, metadata) = bare.split_once('+').map_or((bare, None), |(bare, metadata)| (bare, Some(metadata)));
        let (core, prerelease) =
            bare.split_once('-').map_or((bare, None), |(core, prerelease)| (core, Some(prerelease)));
        let is_word =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let has_zero = |part: &str| part.len() > 1 && part.starts_with('0') && is_number(part);
        if metadata.is_some_and(|found| !found.split('.').all(is_word))
            || prerelease.is_some_and(|found| !found.split('.').all(|part| is_word(part) && !has_zero(part)))
        {
            return None;
        }
        let mut numbers = [0; 3];
        for (at, part) in core.split('.').enumerate() {
            if part.is_empty() || !is_number(part) {
                return None;
            }
            *numbers.get_mut(at)? = part.parse().ok()?;
        }
        let owned = |part: Option<&str>| part.unwrap_or_default().to_owned();
        Some(Self { numbers, prerelease: owned(prerelease), metadata: owned(metadata), original: text.to_owned() })
    }

    pub(crate) fn print(&self) -> String {
        let [major, minor, patch] = self.numbers;
        let mut out = format!("{major}.{minor}.{patch}");
        for (mark, part) in [("-", &self.prerelease), ("+", &self.metadata)] {
            if !part.is_empty() {
                out.push_str(mark);
                out.push_str(part);
            }
        }
        out
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_prerelease = match (self.prerelease.is_empty(), other.prerelease.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_prereleases(&self.prerelease, &other.prerelease),
        };
        self.numbers.cmp(&other.numbers).then(by_prerelease)
    }
}

/// Compares prereleases part by part: a missing part is less than a number, a number is less than a word.
fn compare_prereleases(one: &str, two: &str) -> Ordering {
    let mut parts = (one.split('.'), two.split('.'));
    loop {
        let (first, second) = match (parts.0.next(), parts.1.next()) {
            (None, None) => return Ordering::Equal,
            (first, second) => (first.unwrap_or_default(), second.unwrap_or_default()),
        };
        let order = match (first.parse::<u64>(), second.parse::<u64>()) {
            _ if first == second => Ordering::Equal,
            _ if first.is_empty() => Ordering::Less,
            _ if second.is_empty() => Ordering::Greater,
            (Ok(first), Ok(second)) => first.cmp(&second),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => first.cmp(second),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// An operator and a version. The flags say which of its numbers are wildcards or missing.
struct Constraint {
    operator: String,
    version: Version,
    is_open: bool,
    is_minor_open: bool,
    is_patch_open: bool,
}

/// Groups of constraints. At least one group must hold, with all its constraints.
pub struct Constraints(Vec<Vec<Constraint>>);

const OPERATORS: &str = r"=||!=|>|<|>=|=>|<=|=<|~|~>|\^";
const WORDS: &str = r"([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*)";

/// The regular expressions with which Masterminds' library splits a text into constraints: for a whole constraint, a
/// range, a constraint within a text, and a group.
struct Patterns {
    one: Regex,
    range: Regex,
    find: Regex,
    group: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let number = r"[0-9|xX\*]+";
    let version = format!(r"v?({number})(\.{number})?(\.{number})?(-{WORDS})?(\+{WORDS})?");
    let constraint = format!("({OPERATORS})_*({version})");
    // In the expressions `_` stands for white space.
    let regex = |text: String| Regex::new(&text.replace('_', r"[\t\n\f\r ]")).ok();
    Some(Patterns {
        one: regex(format!("^_*{constraint}_*$"))?,
        range: regex(format!("_*({version})_+-_+({version})_*"))?,
        find: regex(constraint.clone())?,
        group: regex(format!("^(_*{constraint}_*)((?:_+|,_*){constraint}_*)*$"))?,
    })
});

impl Constraints {
    /// None for any other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let patterns = PATTERNS.as_ref()?;
        let mut text = text.to_owned();
        let ranges: Vec<_> = patterns
            .range
            .captures_iter(&text.clone())
            .map(|found| (found[0].to_owned(), format!(">= {}, <= {} ", &found[1], &found[11])))
            .collect();
        for (old, new) in ranges {
            text = text.replacen(&old, &new, 1);
        }
        text.split("||").map(|group| read_group(patterns, group)).collect::<Option<_>>().map(Self)
    }

    /// The constraints of a revision, which stand for a tag; none for the name of a branch or a tag, such as one version
    /// (`MaxVersion` in Argo CD's `util/versions/tags.go`).
    pub fn of_revision(revision: &str) -> Option<Self> {
        if Version::read(revision).is_some() { None } else { Self::read(revision) }
    }

    /// The tag with the newest version that they allow.
    pub fn newest<'t>(&self, tags: impl Iterator<Item = &'t str>) -> Option<&'t str> {
        let versions =
            tags.filter_map(|tag| Some((Version::read(tag)?, tag))).filter(|(version, _)| self.allow(version));
        let newer = |one: (Version, &'t str), two: (Version, &'t str)| {
            if two.0.compare(&one.0) == Ordering::Greater { two } else { one }
        };
        versions.reduce(newer).map(|(_, tag)| tag)
    }

    pub(crate) fn allow(&self, version: &Version) -> bool {
        self.0.iter().any(|group| {
            let takes_prereleases = group.iter().any(|constraint| !constraint.version.prerelease.is_empty());
            (version.prerelease.is_empty() || takes_prereleases)
                && group.iter().all(|constraint| constraint.allows(version))
        })
    }
}

fn read_group(patterns: &Patterns, group: &str) -> Option<Vec<Constraint>> {
    if !patterns.group.is_match(group) {
        return None;
    }
    patterns.find.find_iter(group).map(|found| read_constraint(patterns, found.as_str())).collect()
}

fn read_constraint(patterns: &Patterns, text: &str) -> Option<Constraint> {
    let found = patterns.one.captures(text)?;
    let part = |at: usize| found.get(at).map_or("", |found| found.as_str());
    let is_wild = |part: &str| matches!(part.trim_start_matches('.'), "" | "x" | "X" | "*");
    let (major, minor, patch, prerelease) = (part(3), part(4), part(5), part(6));
    let is_all_open = is_wild(major);
    let is_minor_open = !is_all_open && is_wild(minor);
    let is_patch_open = !is_all_open && !is_minor_open && is_wild(patch);
    let version = if is_all_open {
        format!("0.0.0{prerelease}")
    } else if is_minor_open {
        format!("{major}.0.0{prerelease}")
    } else if is_patch_open {
        format!("{major}{minor}.0{prerelease}")
    } else {
        part(2).to_owned()
    };
    let version = Version::read(&version)?;
    Some(Constraint {
        operator: part(1).to_owned(),
        version,
        is_open: is_all_open || is_minor_open || is_patch_open,
        is_minor_open,
        is_patch_open,
    })
}

impl Constraint {
    fn allows(&self, version: &Version) -> bool {
        let order = version.compare(&self.version);
        let ([major, minor, _], [own_major, own_minor, _]) = (version.numbers, self.version.numbers);
        match self.operator.as_str() {
            "" | "=" if self.is_open => self.allows_tilde(version),
            "" | "=" => order == Ordering::Equal,
            "!=" => !self.is_excluded(version),
            ">" if !self.is_open || major != own_major => order == Ordering::Greater,
            ">" if self.is_minor_open => false,
            ">" if self.is_patch_open => minor > own_minor,
            ">" => order == Ordering::Greater,
            "<" => order == Ordering::Less,
            ">=" | "=>" => order != Ordering::Less,
            "<=" | "=<" if !self.is_open => order != Ordering::Greater,
            "<=" | "=<" => major < own_major || major == own_major && (minor <= own_minor || self.is_minor_open),
            "~" | "~>" => self.allows_tilde(version),
            _ => self.allows_caret(version),
        }
    }

    fn is_excluded(&self, version: &Version) -> bool {
        let ([major, minor, patch], [own_major, own_minor, own_patch]) = (version.numbers, self.version.numbers);
        let order = version.compare(&self.version);
        if !self.is_open {
            return order == Ordering::Equal;
        }
        if major != own_major || minor != own_minor && !self.is_minor_open {
            return false;
        }
        if self.is_minor_open {
            return true;
        }
        if patch != own_patch && !self.is_patch_open {
            return false;
        }
        if self.is_patch_open {
            compare_prereleases(&version.prerelease, &self.version.prerelease) == Ordering::Equal
        } else {
            order == Ordering::Equal
        }
    }

    fn allows_tilde(&self, version: &Version) -> bool {
        let ([major, minor, _], own) = (version.numbers, self.version.numbers);
        if version.compare(&self.version) == Ordering::Less {
            return false;
        }
        if own == [0, 0, 0] && !self.is_minor_open && !self.is_patch_open {
            return true;
        }
        major == own[0] && (minor == own[1] || self.is_minor_open)
    }

    fn allows_caret(&self, version: &Version) -> bool {
        let ([major, minor, patch], own) = (version.numbers, self.version.numbers);
        if version.compare(&self.version) == Ordering::Less || major != own[0] {
            return false;
        }
        if own[0] > 0 || self.is_minor_open {
            return true;
        }
        if own[1] > 0 || self.is_patch_open {
            return minor == own[1];
        }
        minor == 0 && patch == own[2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of `TestTags_MaxVersion` and `TestTags_IsConstraint` in Argo CD's `util/versions/tags_test.go`.
    #[test]
    fn the_newest_tag_in_a_range_is_that_of_argo_cd() {
        let tags =
            ["0.7.1", "0.5.4", "0.5.3", "0.7.2", "0.5.2", "0.5.1", "0.5.0", "2024.03-LTS-RC19", "0.8.0-rc.1", "x"];
        let newest = |range: &str| Constraints::of_revision(range).map(|range| range.newest(tags.into_iter()));
        for (range, tag) in [
            ("> 0.5.3", Some("0.7.2")),
            ("> 0.0.0", Some("0.7.2")),
            (">0.5.0,<0.7.0", Some("0.5.4")),
            ("0.7.*", Some("0.7.2")),
            ("0.5.x", Some("0.5.4")),
            ("*", Some("0.7.2")),
            ("~0.5.1", Some("0.5.4")),
            ("^0.5", Some("0.5.4")),
            ("= 0.5.3", Some("0.5.3")),
            (">= 0.7.0-0", Some("2024.03-LTS-RC19")),
            ("0.9.*", None),
        ] {
            assert_eq!(newest(range), Some(tag), "{range}");
        }
        for name in ["0.5.3", "0.5", "v1", "2024.03-LTS-RC19", "main", "HEAD", ""] {
            assert_eq!(newest(name), None, "{name}");
        }
    }
}
