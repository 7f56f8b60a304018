//! Whether an Application may have more objects than are known: parts of a source were left out, or another source of it was not read. Nothing is said
//! then about what it lacks.

use std::collections::BTreeSet;

use rewrite::manifest::LeftOut;
use text::Origin;

use crate::outcome::Read;
use crate::sources::Sources;

/// Notes in each source whether its Application may have more objects.
pub(crate) fn settle(read: &mut [Read], sources: &Sources) {
    let unread = read.iter().filter(|one| one.failure().is_some()).filter_map(application_of);
    let rendered = sources.rendered.iter().map(|(_, skipped)| skipped);
    let skipped = sources
        .skipped
        .iter()
        .chain(&sources.noted)
        .chain(rendered)
        .map(|skipped| (skipped.name.clone(), skipped.place.origin.clone()));
    let unread: BTreeSet<(String, Origin)> = unread.chain(skipped).collect();
    for one in read {
        let lacks_objects = one.without().any(LeftOut::has_objects);
        let lacks_a_source = application_of(one).is_some_and(|application| unread.contains(&application));
        let may_have_more = lacks_objects || lacks_a_source || !one.unseen.is_empty();
        if let Ok(new) = &mut one.new {
            new.application.may_have_more = may_have_more;
        }
    }
}

/// The Application of a source, by its name and the file that declares it.
fn application_of(one: &Read) -> Option<(String, Origin)> {
    let source = one.target.source()?;
    Some((source.name().to_owned(), source.place.origin.clone()))
}
