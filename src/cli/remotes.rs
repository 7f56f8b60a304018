//! What fetches charts and other repositories, with the user's surroundings.

use std::path::Path;
use std::sync::Arc;

use argocd_jobs::settings::{Network, PlatformSettings};
use argocd_jobs::source::{Fetching, Remotes};

use super::run::Run;

/// What fetches charts and other repositories; none in a case, which is the same everywhere.
pub(super) fn of(checkout: &Path, platform: &PlatformSettings, run: &Run) -> Option<Arc<Remotes>> {
    if run.environment.in_a_case {
        return None;
    }
    let environment = &run.environment;
    let rendering = environment.rendering();
    let variables =
        Remotes::VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), environment.get(name)?.into())));
    Some(Arc::new(Remotes::new(Fetching {
        cache: environment.cache().filter(|cache| !cache.starts_with(checkout)),
        // Elsewhere than on Linux the network is allowed by default: there nobody can deny it. To fetch, somebody has to say so.
        network: platform.network.unwrap_or(Network::Never),
        tools: environment.tools(),
        checkout: checkout.to_owned(),
        launcher: rendering.launcher,
        temporary: rendering.temporary,
        variables: variables.chain(rendering.passed_on).collect(),
        time: platform.time,
        memory: platform.memory,
    })))
}
