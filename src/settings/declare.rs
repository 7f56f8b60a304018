//! Generates from the rows of the table of parameters: the ids, the rows as data, and [`Settings`](super::Settings) with one field
//! for each parameter.
//!
//! Everything here that names a parameter is generated from the same list, so that an id, its row, its field and its parser cannot
//! be mixed up, and so that code which takes [`Settings`](super::Settings) apart does not compile while it forgets one.

/// A row is `Id, field: type of the value = type of the parameter { the other fields of Parameter }`.
macro_rules! parameters {
    ([] { $($id:ident, $field:ident: $value:ty = $type:ty { $($key:ident: $cell:expr,)* })* }) => {
        use std::collections::BTreeSet;
        use std::mem;
        use std::sync::Arc;

        use super::Provenance;
        use super::parse::{ParameterType, ParseError, parse};
        use super::value::{AnySetting, RawValue, Setting, Slot};

        /// The parameters, in the order of [`PARAMETERS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the table says what they are")]
        pub enum Id { $($id,)* }

        /// All parameters.
        pub const PARAMETERS: &[Parameter] = &[
            $(Parameter { id: Id::$id, value_type: <$type as ParameterType>::VALUE_TYPE, $($key: $cell,)* },)*
        ];

        impl Id {
            /// Its row in the table.
            pub fn parameter(self) -> &'static Parameter {
                &PARAMETERS[self as usize]
            }
        }

        /// One layer, or several on top of each other: the values that are set.
        ///
        /// Every Job has its own `Settings`, but most of their values are the Application's. Those are shared, because a `baseline`
        /// can have an entry for every Job.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the table says what they are")]
        pub struct Settings { $(pub $field: Slot<$value>,)* }

        impl Settings {
            /// The value of a parameter and where it comes from; `None` when it is not set.
            pub fn get(&self, id: Id) -> Option<&AnySetting> {
                match id {
                    $(Id::$id => self.$field.as_deref().map(|setting| setting as &AnySetting),)*
                }
            }

            /// All values that are set, in the order of the table of parameters.
            pub fn iter(&self) -> impl Iterator<Item = (Id, Arc<AnySetting>)> {
                let all = [$((Id::$id, any(self.$field.as_ref())),)*];
                all.into_iter().filter_map(|(id, setting)| Some((id, setting?)))
            }

            /// Sets the parameter to the value that is written at this position.
            pub(super) fn set(
                &mut self,
                id: Id,
                raw: &RawValue,
                position: Position,
                by: &Provenance,
            ) -> Result<(), ParseError> {
                match id {
                    $(Id::$id => {
                        let value = parse::<$type>(raw, position)?;
                        self.$field = Some(Arc::new(Setting { by: by.clone(), value }));
                    })*
                }
                Ok(())
            }

            /// Lays this layer on top of a lower one.
            pub(super) fn over(self, lower: &Self) -> Self {
                Self { $($field: self.$field.or_else(|| lower.$field.clone()),)* }
            }

            /// Replaces the value of the parameter by that of `other`, if any, and returns the old one.
            pub(super) fn replace(&mut self, id: Id, other: &Self) -> Option<Arc<AnySetting>> {
                match id {
                    $(Id::$id => any(mem::replace(&mut self.$field, other.$field.clone()).as_ref()),)*
                }
            }

            /// Only the values of these parameters; `by` maps where each comes from.
            pub(super) fn only(&self, ids: &BTreeSet<Id>, by: impl Fn(&Provenance) -> Provenance) -> Self {
                Self {
                    $($field: self.$field.as_ref().filter(|_| ids.contains(&Id::$id)).map(|setting| {
                        Arc::new(Setting { by: by(&setting.by), value: setting.value.clone() })
                    }),)*
                }
            }
        }

        fn any<T: super::value::SettingValue>(slot: Option<&Arc<Setting<T>>>) -> Option<Arc<AnySetting>> {
            let setting: Arc<AnySetting> = Arc::clone(slot?) as Arc<AnySetting>;
            Some(setting)
        }
    };
}

pub(super) use parameters;
