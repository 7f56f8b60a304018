//! The document: all Applications and folders, what was not checked, and how much was.

use std::fmt;

use deployment::row::{Outcome, PassedOver, Row, SkippedApplication};
use kube_jobs::argocd::Version as ArgoCd;
use preview::GoneApplication;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::VERSION;
use crate::json::to_json;
use crate::preview::section::Section;
use crate::preview::several::summary as of_several;
use crate::preview::shared::{Shared, shared};
use crate::preview::words::alone::alone;
use crate::preview::words::summary::summary as of_one;
use crate::sources::{Coverage, Named, coverage};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'s> {
    version: u32,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upgrade: Option<UpgradeJson>,
    applications: Vec<Application<'s>>,
    not_checked: Vec<NotChecked<'s>>,
    /// The Jobs and hooks that several Applications have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared: Vec<Shared>,
    skipped: &'s [SkippedApplication],
    passed_over: &'s PassedOver,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

/// The old version of Argo CD, and the new one.
#[derive(Serialize)]
struct UpgradeJson {
    from: String,
    to: String,
}

/// What the sources are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Against<'a> {
    /// The name of the other version; empty if there is none.
    pub base: &'a str,
    /// The old version of Argo CD and the new one, if they are compared.
    pub upgrade: Option<[ArgoCd; 2]>,
}

/// An Application, or a folder that none names.
#[derive(Serialize)]
struct Application<'s> {
    #[serde(flatten)]
    named: Named<'s>,
    /// Why not all of it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<&'s GoneApplication>,
    #[serde(flatten)]
    preview: Fields,
}

/// One of which nothing is known.
#[derive(Serialize)]
struct NotChecked<'s> {
    #[serde(flatten)]
    named: Named<'s>,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<&'s GoneApplication>,
}

/// The fields of an object that is printed already, in their order.
struct Fields(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The first line: of the only source, or of all.
fn of_all(sections: &[Section], rows: &[Row], passed_over: &PassedOver) -> String {
    match (sections, rows) {
        ([only], [_]) if only.forecast.start.is_some() || only.forecast.is_live => of_one(&only.forecast),
        ([only], [_]) => alone([&only.forecast]),
        _ => of_several(sections, rows, passed_over).unwrap_or_else(|| "No Jobs.".to_owned()),
    }
}

/// Prints the document.
pub fn document(sections: &[Section], rows: &[Row], passed_over: &PassedOver, against: Against<'_>) -> String {
    let Against { base, upgrade } = against;
    let mut previews = sections.iter().peekable();
    let (mut applications, mut not_checked) = (Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let preview = previews.next_if(|section| section.row == index);
        // No text in JSON holds a line break: each begins a line.
        let preview = preview.and_then(|section| serde_json::from_str(&section.text.replace('\n', "\n    ")).ok());
        let named = Named::of(row);
        match (&row.outcome, preview) {
            (_, Some(preview)) => {
                let incomplete = row.unread_base.as_ref().or(row.unseen.first()).map(String::as_str);
                applications.push(Application { named, incomplete, gone: row.gone.as_ref(), preview });
            }
            (Outcome::NotChecked(reason), None) => {
                not_checked.push(NotChecked {
                    named,
                    reason: reason.to_string(),
                    changed: row.changed,
                    gone: row.gone.as_ref(),
                });
            }
            (Outcome::Read { .. }, None) => {}
        }
    }
    to_json(&Document {
        version: VERSION,
        summary: of_all(sections, rows, passed_over),
        base: Some(base).filter(|base| !base.is_empty()),
        upgrade: upgrade.map(|[from, to]| UpgradeJson { from: from.to_string(), to: to.to_string() }),
        applications,
        not_checked,
        shared: shared(sections, rows),
        skipped: &passed_over.skipped,
        passed_over,
        coverage: coverage(rows, passed_over),
    })
}
