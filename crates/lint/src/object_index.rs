//! An index of the objects of one side, by group, kind, namespace and name.

use std::collections::HashMap;

use kube_jobs::kubernetes::Object;

use super::Context;
use crate::survey::sync_order::{self, Moment};

/// API group, kind, namespace, name.
type Key<'k> = (&'k str, &'k str, &'k str, &'k str);

pub(super) struct ObjectIndex<'l> {
    context: &'l Context<'l>,
    objects: HashMap<Key<'l>, Vec<(usize, &'l Object)>>,
}

/// An object that a sync applies later than it is needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct AppliedLater<'l> {
    /// The index of the object in the survey.
    pub(super) index: usize,
    pub(super) object: &'l Object,
    /// The moment at which a sync first applies the object.
    pub(super) moment: Moment,
}

impl<'l> ObjectIndex<'l> {
    pub(super) fn of(context: &'l Context<'l>) -> Self {
        let mut objects: HashMap<Key<'_>, Vec<_>> = HashMap::new();
        for (index, object) in context.objects() {
            let Some(name) = object.name() else { continue };
            let namespace = context.survey.namespace(object);
            objects.entry((object.group(), object.kind(), namespace, name)).or_default().push((index, object));
        }
        Self { context, objects }
    }

    /// All objects with this key.
    pub(super) fn find<'f>(&'f self, key: Key<'f>) -> &'f [(usize, &'f Object)] {
        self.objects.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The object with this key, if a sync applies it only after `needed`. None if it is in time, if the output does not have it, or if no sync
    /// applies it: then it comes from elsewhere.
    pub(super) fn late<'f>(&'f self, key: Key<'f>, needed: Moment) -> Option<AppliedLater<'f>> {
        let late = self.find(key).iter().map(|(index, object)| is_late(*index, object, needed));
        late.collect::<Option<Vec<_>>>()?.into_iter().min_by_key(|late| late.moment)
    }

    pub(super) fn context(&self) -> &'l Context<'l> {
        self.context
    }
}

/// The object, if a sync first applies it after `needed`.
pub(super) fn is_late(index: usize, object: &Object, needed: Moment) -> Option<AppliedLater<'_>> {
    sync_order::first(object).filter(|moment| *moment > needed).map(|moment| AppliedLater { index, object, moment })
}
