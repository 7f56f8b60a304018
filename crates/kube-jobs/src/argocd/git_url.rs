//! URLs of git repositories, compared as Argo CD compares them (`SameURL` and `NormalizeGitURL` in `util/git/git.go`).

/// The form in which Argo CD compares a URL: in lower case, without `.git`, and with `git@host:path` and `ssh://git@host/path` as equal. Argo CD
/// also escapes characters that are not allowed in a URL, and compares other texts letter by letter. This function does neither.
pub fn normalized_git_url(url: &str) -> String {
    let mut url = url.trim().to_lowercase();
    if is_ssh(&url) && !url.starts_with("ssh://") {
        // Only the first colon: it separates host and path, where an `ssh://` URL has a slash.
        url = url.replacen(':', "/", 1);
    }
    let url = url.strip_suffix(".git").unwrap_or(&url);
    url.strip_prefix("ssh://").unwrap_or(url).to_owned()
}

/// Whether two URLs belong to the same repository. Unlike Argo CD, ignores the protocol and the credentials: a developer may use SSH where Argo CD
/// uses HTTPS. Use it only to decide which repository a checkout belongs to.
pub fn is_same_repository(one: &str, other: &str) -> bool {
    let (one, other) = (normalized_git_url(one), normalized_git_url(other));
    let place = |url: &str| address(url).map(|(host, path)| (host.to_owned(), path.to_owned()));
    !one.is_empty() && (one == other || place(&one).is_some_and(|found| place(&other) == Some(found)))
}

/// The host and the path of a normalized URL. None if there is no host, as in the path of a directory.
fn address(normalized: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = match normalized.split_once("://") {
        Some(parts) => parts,
        None if normalized.contains('@') => ("ssh", normalized),
        None => return None,
    };
    let (authority, path) = rest.split_once('/')?;
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let port = match scheme {
        "https" => ":443",
        "http" => ":80",
        "ssh" => ":22",
        _ => return None,
    };
    let path = path.trim_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| (host.strip_suffix(port).unwrap_or(host), path))
}

/// Whether the URL matches `^(ssh://)?([^/:]*?)@[^@]+$`, as in Argo CD.
fn is_ssh(url: &str) -> bool {
    let rest = url.strip_prefix("ssh://").unwrap_or(url);
    match rest.split_once('@') {
        Some((user, host)) => !user.contains(['/', ':']) && !host.is_empty() && !host.contains('@'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Row, rows};
    use super::*;

    #[test]
    fn urls_have_the_form_that_argo_cd_gives_them() {
        for Row { r#in, out, .. } in rows(include_str!("../../testdata/git-url.jsonl"), 0) {
            assert_eq!(normalized_git_url(&r#in), out, "{:?}", r#in);
        }
    }

    #[test]
    fn a_checkout_is_known_by_host_and_path() {
        let url = "https://git.example.com/team/shop";
        for same in [
            "https://git.example.com/team/shop.git",
            "https://GIT.example.com/Team/shop/",
            "http://git.example.com/team/shop",
            "https://ci-token:s3cret@git.example.com/team/shop.git",
            "https://git.example.com:443/team/shop",
            "git@git.example.com:team/shop.git",
            "ssh://git@git.example.com/team/shop.git",
            "ssh://git@git.example.com:22/team/shop.git",
        ] {
            assert!(is_same_repository(url, same), "{same}");
            assert!(is_same_repository(same, url), "{same}");
        }
        for other in [
            "",
            "shop",
            "/team/shop",
            "https://git.example.com/team/shop2",
            "https://git.example.com/team",
            "https://git.example.com",
            "https://git.example.com:8443/team/shop",
            "https://git.example.com.evil.example/team/shop",
            "https://evil.example/git.example.com/team/shop",
            "https://git.example.com@evil.example/team/shop",
            "oci://git.example.com/team/shop",
            "file:///team/shop",
        ] {
            assert!(!is_same_repository(url, other), "{other}");
        }
        assert!(!is_same_repository("", ""));
        assert!(is_same_repository("/srv/shop.git", "/srv/shop"));
    }
}
