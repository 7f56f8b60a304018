//! URLs without what only their owner may know.

use std::borrow::Cow;

/// The text without names and passwords in its URLs: a name can be a token. The name `git` of `ssh://git@…` is not a secret, and stays.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split("://");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        let is_ssh = plain.ends_with("ssh");
        plain.push_str("://");
        let end = rest.find(|found: char| found.is_whitespace() || "/?#'\"`".contains(found)).unwrap_or(rest.len());
        let owner = rest[..end].rfind('@').filter(|at| !is_ssh || rest[..*at].contains(':'));
        plain.push_str(owner.map_or(rest, |at| &rest[at + 1..]));
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_url_shows_who_may_use_it() {
        for (said, shown) in [
            ("unable to access 'https://me:a@b@c.d/e/': 403", "unable to access 'https://c.d/e/': 403"),
            ("parse \"oci://me:x@c.d\" and http://c.d/a@b", "parse \"oci://c.d\" and http://c.d/a@b"),
            ("`https://token@c.d` at `me@e.f`", "`https://c.d` at `me@e.f`"),
            ("ssh://git@c.d:22, ssh://git:x@c.d:22", "ssh://git@c.d:22, ssh://c.d:22"),
            ("git@c.d: denied", "git@c.d: denied"),
        ] {
            assert_eq!(without_passwords(said), shown);
        }
    }
}
