//! The release name. helm renders it as a template (`--name-template`) before it checks the result, so it is checked
//! here first.

use kube_jobs::argocd::Application;
use kube_jobs::kubernetes::dns::{self, Invalid};

use crate::helm::RenderError;

/// The maximum length of a release name in bytes (`ValidateReleaseName` in `pkg/chartutil/validate_name.go`).
const LONGEST: usize = 53;

/// The default of `helm template` when no name is given.
const UNNAMED: &str = "release-name";

/// The name in the settings, or else the Application's name without its namespace (`ParseInstanceName` in
/// `util/argo/argo.go`).
pub(super) fn of(set: Option<&str>, application: &Application) -> Result<String, RenderError> {
    let own = application.name.as_deref().map(|name| name.split_once('_').map_or(name, |(_, name)| name));
    let name = set.or(own).unwrap_or(UNNAMED);
    match fault(name) {
        Some(why) => Err(RenderError::ReleaseName { name: name.to_owned(), why }),
        None => Ok(name.to_owned()),
    }
}

/// Why helm refuses a name, which must match `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`.
fn fault(name: &str) -> Option<&'static str> {
    if name.len() > LONGEST {
        return Some("it is longer than 53 characters");
    }
    match dns::subdomain(name) {
        Ok(()) | Err(Invalid::Length(_)) => None,
        Err(Invalid::Character(_)) => Some("it has characters other than a-z, 0-9, `-` and `.`"),
        Err(Invalid::Ends | Invalid::Part) => {
            Some("each part between dots has to begin and end with a letter or a digit")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_called_as_in_argo_cd() {
        let application = |name: &str| Application { name: Some(name.to_owned()), ..Application::default() };
        assert_eq!(of(None, &application("shop")).unwrap(), "shop");
        assert_eq!(of(None, &application("team-a_shop")).unwrap(), "shop");
        assert_eq!(of(Some("rel"), &application("team-a_shop")).unwrap(), "rel");
        assert_eq!(of(None, &Application::default()).unwrap(), UNNAMED);
    }

    #[test]
    fn a_name_that_helm_would_run_or_refuse_is_refused() {
        for good in ["a", "a-b", "a.b", "0", "a1.b-2.c", &"a".repeat(LONGEST)] {
            assert_eq!(fault(good), None, "{good}");
        }
        let bad =
            ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "a.-b", "{{ env }}", "a b", "ä", "a\n", &"a".repeat(54)];
        for bad in bad {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }
}
