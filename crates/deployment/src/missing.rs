//! Whether an Application may have more objects than are known: parts of a source were left out, or another source of it was not read. Nothing is said
//! then about what it lacks.

use std::collections::BTreeSet;

use rewrite::manifest::LeftOut;

use crate::applications::{ApplicationId, Skipped};
use crate::outcome::Read;
use crate::sources::Sources;

/// Notes in each source whether its Application may have more objects.
pub(crate) fn settle(read: &mut [Read], sources: &Sources) {
    let failed = read.iter().filter(|one| one.failure().is_some());
    let unread = failed.filter_map(|one| Some(one.target.source()?.id()));
    let rendered = sources.rendered.iter().map(|(_, skipped)| skipped);
    let skipped = sources.skipped.iter().chain(&sources.noted).chain(rendered).map(Skipped::id);
    let unread: BTreeSet<ApplicationId> = unread.chain(skipped).collect();
    for one in read {
        let lacks_objects = one.without().any(LeftOut::has_objects);
        let lacks_a_source = one.target.source().is_some_and(|source| unread.contains(&source.id()));
        let may_have_more = lacks_objects || lacks_a_source || !one.unseen.is_empty();
        if let Ok(new) = &mut one.new {
            new.application.may_have_more = may_have_more;
        }
    }
}
