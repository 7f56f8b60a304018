//! The two layers in the environment: the sidecar's own variables, and the variables of the Application's
//! `plugin.env`, to which Argo CD adds the prefix `ARGOCD_ENV_`. An empty variable counts as unset, because Argo CD
//! passes unknown values as empty texts.

use std::collections::BTreeMap;

use kube_jobs::argocd;
use text::spelling::nearest;

use super::parameter::Position;
use super::parameters::{Names, PARAMETERS, Parameter};
use super::set::{set, unknown};
use super::value::{Fields, RawValue};
use super::{Error, ErrorKind, Provenance, Settings};

/// The prefix of the variables in the sidecar's own environment.
const SIDECAR: &str = "ARGOCD_JOBS_";
/// The prefix that Argo CD adds to the names in `plugin.env`.
const APPLICATION: &str = "ARGOCD_ENV_";
/// The variable with the names of the parameters that the platform owner locks.
pub(super) const LOCK: &str = "ARGOCD_JOBS_LOCK";

/// Prefixes of the variables that Argo CD sets for an Application. None of them names a program.
const OF_THE_APPLICATION: [&str; 2] = ["ARGOCD_APP_", APPLICATION];
/// Variables about the cluster and the terminal. None of them names a file or a program.
const HARMLESS: [&str; 5] = ["KUBE_VERSION", "KUBE_API_VERSIONS", "NO_COLOR", "TERM", "COLUMNS"];

/// The settings of both layers, and the parameters that are locked.
pub(super) struct FromEnvironment {
    pub(super) sidecar: Settings,
    pub(super) application: Settings,
    pub(super) locked: Names,
}

pub(super) fn read(environment: &BTreeMap<String, String>) -> Result<FromEnvironment, Error> {
    let mut found =
        FromEnvironment { sidecar: Settings::default(), application: Settings::default(), locked: Names::new() };
    for (variable, value) in environment.iter().filter(|(_, value)| !value.is_empty()) {
        if variable == LOCK {
            found.locked = locked(value)?;
        } else if let Some(name) = variable.strip_prefix(SIDECAR).filter(|name| !is_kubernetes_own(name)) {
            let by = Provenance::Sidecar(variable.clone());
            set_variable(&mut found.sidecar, Position::Platform, SIDECAR, name, value, by)?;
        } else if let Some(rest) = variable.strip_prefix(APPLICATION) {
            from_application(&mut found.application, variable, rest, value)?;
        }
    }
    found.sidecar = found.sidecar.with_fields();
    found.application = found.application.with_fields();
    Ok(found)
}

/// Whether a test case may set the variable. In CI the cases come from a pull request, so only listed variables are
/// allowed. The variables of parameters come from the table, without those that only the platform owner can set, such
/// as the path of a program.
pub fn is_for_cases(variable: &str) -> bool {
    let is_of_an_application = |name: &str| {
        is_kubernetes_own(name) || Parameter::at(Position::Application).any(|known| known.variable() == name)
    };
    variable == LOCK
        || HARMLESS.contains(&variable)
        || OF_THE_APPLICATION.iter().any(|prefix| variable.starts_with(prefix))
        || variable.strip_prefix(SIDECAR).is_some_and(is_of_an_application)
}

/// The variables that [`is_for_cases`] allows, as part of a message.
pub fn variables_of_cases() -> String {
    let prefixes = OF_THE_APPLICATION.map(|prefix| format!("`{prefix}*`"));
    let names = HARMLESS.into_iter().chain([LOCK]).map(|name| format!("`{name}`"));
    let all: Vec<String> = prefixes.into_iter().chain(names).collect();
    format!("{}, and `{SIDECAR}*` for the parameters that an Application can set", all.join(", "))
}

/// Reads one variable of `plugin.env`; `rest` is its name without the prefix of Argo CD.
fn from_application(settings: &mut Settings, variable: &str, rest: &str, value: &str) -> Result<(), Error> {
    let by = Provenance::ApplicationEnvironment(variable.to_owned());
    if rest == LOCK {
        return Err(Error::new(by, ErrorKind::LockFromTheApplication));
    }
    let meant = rest.trim_start_matches(APPLICATION);
    let Some(name) = meant.strip_prefix(SIDECAR) else { return Ok(()) };
    if meant != rest {
        return Err(Error::new(by, ErrorKind::PrefixedTwice { meant: meant.to_owned() }));
    }
    set_variable(settings, Position::Application, &format!("{APPLICATION}{SIDECAR}"), name, value, by)
}

fn set_variable(
    settings: &mut Settings,
    position: Position,
    prefix: &str,
    name: &str,
    value: &str,
    by: Provenance,
) -> Result<(), Error> {
    let spell = |known: &Parameter| format!("{prefix}{}", known.variable());
    let Some(known) = PARAMETERS.iter().find(|known| known.variable() == name) else {
        let name = name.to_lowercase().replace('_', "-");
        return Err(unknown(&name, position, by, spell));
    };
    let written = RawValue::Bare(value.to_owned());
    set(settings, known.name, position, &written, by, spell)
}

/// Parses the value of `ARGOCD_JOBS_LOCK`: names of parameters and paths of fields of a block, separated by commas.
fn locked(value: &str) -> Result<Names, Error> {
    let mut locked = Names::new();
    let mut whole = Vec::new();
    for name in argocd::comma_list(value) {
        let unknown = || {
            let known: Vec<String> = Parameter::paths().collect();
            let nearest = nearest(name, known.iter().map(String::as_str));
            let expected = "a comma-separated list of parameter names, or of paths such as `helm.kubeVersion`";
            let wrong = ErrorKind::Value { value: name.to_owned(), expected, nearest };
            Error::new(Provenance::Sidecar(LOCK.to_owned()), wrong)
        };
        let (id, field) = Parameter::find_path(name).ok_or_else(unknown)?;
        locked.entry(id).or_default().extend(field);
        whole.extend(field.is_none().then_some(id));
    }
    // A block without the name of a field is locked as a whole.
    locked.extend(whole.into_iter().map(|id| (id, Fields::new())));
    Ok(locked)
}

/// True for a variable that Kubernetes adds to the environment of a pod for a Service named `argocd-jobs` or `argocd-jobs-<x>`:
/// `…SERVICE_HOST`, `…SERVICE_PORT`, `…SERVICE_PORT_<name>`, `…PORT`, `…PORT_<n>_<protocol>…`.
fn is_kubernetes_own(name: &str) -> bool {
    let is_port = |rest: &str| {
        let mut words = rest.split('_');
        let number = words.next().unwrap_or("");
        let protocol = words.next().unwrap_or("");
        !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && ["TCP", "UDP", "SCTP"].contains(&protocol)
    };
    name.starts_with("SERVICE_")
        || name.starts_with("PORT")
        || name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || name.ends_with("_PORT")
        || name.split_once("_PORT_").is_some_and(|(_, rest)| is_port(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_sets_what_an_application_can_set_and_nothing_else() {
        for parameter in PARAMETERS {
            let variable = format!("{SIDECAR}{}", parameter.variable());
            assert_eq!(is_for_cases(&variable), parameter.scope.allows(Position::Application), "{variable}");
        }
        let good = "ARGOCD_APP_NAME ARGOCD_APP_PARAMETERS ARGOCD_ENV_X KUBE_VERSION KUBE_API_VERSIONS NO_COLOR TERM COLUMNS \
                    ARGOCD_JOBS_LOCK ARGOCD_JOBS_PORT ARGOCD_JOBS_SERVICE_HOST ARGOCD_JOBS_X_SERVICE_PORT_HTTP";
        for variable in good.split(' ') {
            assert!(is_for_cases(variable), "{variable}");
        }
        let bad = "PATH Path HOME LD_PRELOAD DYLD_INSERT_LIBRARIES GIT_DIR GIT_CONFIG_COUNT GITHUB_WORKSPACE TMPDIR KUBECONFIG \
                   RUST_BACKTRACE SystemRoot TERMINFO ARGOCD ARGOCD_JOBS ARGOCD_JOBS_ ARGOCD_JOBS_NETWORK ARGOCD_JOBS_HELM_REGISTRY_CONFIG \
                   ARGOCD_JOBS_KUSTOMIZE_VERSIONS ARGOCD_JOBS_STRATGY ARGOCD_JOBS_BASE_NAME \
                   argocd_jobs_ttl ARGOCD_JOBS_TTL_ ARGOCD_JOBS_LOCKS ARGOCD_APP ARGOCD_ENV XARGOCD_APP_NAME";
        for variable in bad.split(' ') {
            assert!(!is_for_cases(variable), "{variable}");
        }
    }
}
