//! What makes the missing dependencies of a chart available.

/// What makes a missing dependency available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// It has to be in the repository.
    Vendor,
    /// It has to be in the repository, or be fetched.
    VendorOrAllow,
    /// It has to be in the repository, or somebody has to give credentials: Argo CD passes none to plugins.
    Credentials,
    /// The command has to run in the Git repository.
    Repository,
    /// The lock file is old.
    Update,
}

impl Remedy {
    /// Whether Argo CD may have what is missing here: the network, and credentials.
    pub(crate) fn is_in_argocd(self) -> bool {
        matches!(self, Self::VendorOrAllow | Self::Credentials)
    }

    /// The `help:` line.
    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::Vendor => "run `helm dependency build` and commit the folder `charts`",
            Self::VendorOrAllow => {
                "run `helm dependency build` and commit the folder `charts`, or allow the network with `--network allow` (`ARGOCD_JOBS_NETWORK`)"
            }
            Self::Credentials => {
                "Argo CD does not pass credentials to plugins: run `helm dependency build` and commit the folder `charts`, use the packaged chart \
                 as the source, or ask the platform owner to mount credentials for this AppProject (`ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS`)"
            }
            Self::Repository => {
                "there is no `.git` above this directory, so nothing outside it is read: run the command in its Git repository, or run \
                 `helm dependency build` and commit the folder `charts`"
            }
            Self::Update => "run `helm dependency update` and commit `Chart.lock`",
        }
    }
}
