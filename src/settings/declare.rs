//! Generates from the rows of the table of parameters: the ids, the rows as data, and [`Settings`](super::Settings) with one field
//! for each parameter.
//!
//! Everything here that names a parameter is generated from the same list, so that an id, its row, its field and its parser cannot
//! be mixed up, and so that code which takes [`Settings`](super::Settings) apart does not compile while it forgets one.

/// A row is `Id, field: type of the value = type of the parameter { the other fields of Parameter }`.
macro_rules! parameters {
    ([] { $($id:ident, $field:ident: $value:ty = $type:ty { $($key:ident: $cell:expr,)* })* }) => {
        use std::collections::BTreeMap;
        use std::sync::Arc;

        use super::Provenance;
        use super::parse::{ParameterType, ParseError, parse};
        use super::value::{AnySetting, Fields, RawValue, Setting, SettingValue, Slot};

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

        /// Parameters, and of a block which fields.
        pub(super) type Names = BTreeMap<Id, Fields>;

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
                if let Some((block, field)) = id.field_of() {
                    return self.get(block)?.value.field(field);
                }
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
                        let value = parse::<$type>(raw, position)?.set_by(by);
                        self.$field = Some(Arc::new(Setting { by: by.clone(), value }));
                    })*
                }
                Ok(())
            }

            /// Lays this layer on top of a lower one.
            pub(super) fn over(self, lower: &Self) -> Self {
                Self { $($field: SettingValue::over(self.$field, &lower.$field),)* }
            }

            /// Replaces the value of the parameter by that of `locked`, if any; returns what is replaced, with the names of fields of a block.
            pub(super) fn lock(&mut self, id: Id, fields: &Fields, locked: &Self) -> Vec<(Option<&'static str>, Arc<AnySetting>)> {
                match id {
                    $(Id::$id => SettingValue::lock(&mut self.$field, fields, &locked.$field),)*
                }
            }

            /// Only the values of these parameters; `by` maps where each comes from.
            pub(super) fn only(&self, names: &Names, by: &dyn Fn(&Provenance) -> Provenance) -> Self {
                Self {
                    $($field: names.get(&Id::$id).and_then(|fields| SettingValue::only(&self.$field, fields, by)),)*
                }
            }
        }

        fn any<T: SettingValue>(slot: Option<&Arc<Setting<T>>>) -> Option<Arc<AnySetting>> {
            let setting: Arc<AnySetting> = Arc::clone(slot?) as Arc<AnySetting>;
            Some(setting)
        }
    };
}

pub(super) use parameters;
