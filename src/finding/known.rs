//! The objects of one side by what names them, and when a sync applies them.

use std::collections::HashMap;

use super::Look;
use crate::kubernetes::Object;
use crate::order::{self, Moment};

/// Kinds that are in no namespace, among those that are asked for.
const CLUSTER_SCOPED: [&str; 4] = ["ClusterRole", "ClusterRoleBinding", "PriorityClass", "RuntimeClass"];

/// API group, kind, namespace, name.
type Key<'k> = (&'k str, &'k str, &'k str, &'k str);

/// The objects of one side by their keys.
pub(super) struct Known<'l> {
    look: &'l Look<'l>,
    objects: HashMap<Key<'l>, Vec<(usize, &'l Object)>>,
}

/// An object that a sync applies later than it is needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late<'l> {
    /// Its index in the survey.
    pub(super) index: usize,
    /// The object.
    pub(super) object: &'l Object,
    /// When it is applied.
    pub(super) moment: Moment,
}

impl<'l> Known<'l> {
    /// Those of a side.
    pub(super) fn of(look: &'l Look<'l>) -> Self {
        let mut objects: HashMap<Key<'_>, Vec<_>> = HashMap::new();
        for (index, object) in look.objects() {
            let Some(name) = object.name() else { continue };
            let is_cluster_scoped = CLUSTER_SCOPED.contains(&object.kind());
            let namespace = if is_cluster_scoped { "" } else { look.survey.namespace(object) };
            objects.entry((object.group(), object.kind(), namespace, name)).or_default().push((index, object));
        }
        Self { look, objects }
    }

    /// All with one key.
    pub(super) fn find<'f>(&'f self, key: Key<'f>) -> &'f [(usize, &'f Object)] {
        self.objects.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The object with this key, when it is in the output, and applied only after `needed`. One that no sync applies is somebody
    /// else's to bring.
    pub(super) fn late<'f>(&'f self, key: Key<'f>, needed: Moment) -> Option<Late<'f>> {
        let late = self.find(key).iter().map(|(index, object)| is_late(*index, object, needed));
        late.collect::<Option<Vec<_>>>()?.into_iter().min_by_key(|late| late.moment)
    }

    /// The side.
    pub(super) fn look(&self) -> &'l Look<'l> {
        self.look
    }
}

/// Whether an object is applied only after `needed`.
pub(super) fn is_late(index: usize, object: &Object, needed: Moment) -> Option<Late<'_>> {
    order::first(object).filter(|moment| *moment > needed).map(|moment| Late { index, object, moment })
}
