//! A forecast without what only names its Application: two Applications with the same change have the same.

use super::reason::Reason;
use super::{Forecast, Outcome};
use crate::{Because, Differs, ObjectName, When};

/// What stands for the name of an Application; no name has this character.
const APPLICATION: &str = "\u{1}";

impl Forecast {
    /// The forecast with one mark for `application` in all names of objects, and without namespaces if there is only one, places and generated names.
    pub fn masked(&self, application: &str) -> Self {
        let application = application.rsplit('/').next().unwrap_or_default();
        let first = self.rows.first().and_then(|row| row.object.namespace.clone());
        let mask = Mask { application, is_one_namespace: self.rows.iter().all(|row| row.object.namespace == first) };
        let mut masked = self.clone();
        for row in &mut masked.rows {
            mask.object(&mut row.object);
            (row.emitted, row.place, row.job) = (None, None, None);
            row.why.iter_mut().for_each(|reason| mask.reason(reason));
            if let Outcome::AsWritten(when) = &mut row.outcome {
                without_place(when);
            }
            if let Some(held) = &mut row.held {
                mask.name(&mut held.first.1);
            }
        }
        masked.causes.iter_mut().filter_map(|start| start.object.as_mut()).for_each(|object| mask.object(object));
        masked.causes.iter_mut().for_each(|start| start.key = None);
        masked
    }
}

struct Mask<'m> {
    application: &'m str,
    is_one_namespace: bool,
}

impl Mask<'_> {
    fn name(&self, name: &mut String) {
        if !self.application.is_empty() {
            *name = name.replace(self.application, APPLICATION);
        }
    }

    fn object(&self, object: &mut ObjectName) {
        self.name(&mut object.name);
        match &mut object.namespace {
            namespace if self.is_one_namespace => *namespace = None,
            namespace => namespace.iter_mut().for_each(|namespace| self.name(namespace)),
        }
    }

    fn reason(&self, reason: &mut Reason) {
        match reason {
            Reason::Uses(used) => {
                let is_generated = used.object.old_name.is_some();
                let base = used.object.base_name().to_owned();
                used.object.name = base;
                self.name(&mut used.object.name);
                used.object.old_name = is_generated.then(String::new);
            }
            Reason::Because(Because::Name(..)) => {
                *reason = Reason::Because(Because::Name(String::new(), String::new()))
            }
            Reason::Cadence(when) | Reason::FromNowOn(when) => without_place(when),
            _ => {}
        }
    }
}

fn without_place(when: &mut When) {
    match when {
        When::EveryRendering(Differs { place, .. }) => *place = None,
        When::Suspended(then) | When::FailsUnchanged(then) => without_place(then),
        _ => {}
    }
}
