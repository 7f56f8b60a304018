//! Generates from the table of parameters: the ids, the rows as data, and [`Settings`](super::Settings) with one
//! field for each parameter.
//!
//! All code that names a parameter comes from this one list. So an id, its row, its field and its parser always
//! belong together, and code that destructures [`Settings`](super::Settings) does not compile while it forgets a
//! parameter.

/// A row is `Id, field: type of the parsed value = parser { the other fields of Parameter }`.
macro_rules! parameters {
    ([] { $($id:ident, $field:ident: $value:ty = $type:ty { $($key:ident: $cell:expr,)* })* }) => {
        use std::collections::BTreeMap;
        use std::sync::Arc;

        use super::Provenance;
        use super::parse::{ParameterType, ParseError, parse};
        use super::value::{AnySetting, Fields, RawValue, Setting, SettingValue, Slot};

        /// The ids of all parameters, in the order of [`PARAMETERS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the table says what they are")]
        pub enum Id { $($id,)* }

        /// The table: one row for each parameter.
        pub const PARAMETERS: &[Parameter] = &[
            $(Parameter { id: Id::$id, value_type: <$type as ParameterType>::VALUE_TYPE, $($key: $cell,)* },)*
        ];

        impl Id {
            /// The row of this parameter in the table.
            pub fn parameter(self) -> &'static Parameter {
                &PARAMETERS[self as usize]
            }
        }

        /// A set of parameters, for a block with the names of the fields that are meant.
        pub(super) type Names = BTreeMap<Id, Fields>;

        /// The values that one layer sets, or that several layers set together.
        ///
        /// Every Job has its own `Settings`, but most values are those of the Application. The Jobs share them,
        /// because a `baseline` can have an entry for every Job.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the table says what they are")]
        pub struct Settings { $(pub $field: Slot<$value>,)* }

        impl Settings {
            /// The value of a parameter and its provenance; `None` when it is not set.
            pub fn get(&self, id: Id) -> Option<&AnySetting> {
                if let Some((block, field)) = id.field_of() {
                    return self.get(block)?.value.field(field);
                }
                match id {
                    $(Id::$id => self.$field.as_deref().map(|setting| setting as &AnySetting),)*
                }
            }

            /// All values that are set, in the order of the table.
            pub fn iter(&self) -> impl Iterator<Item = (Id, Arc<AnySetting>)> {
                let all = [$((Id::$id, any(self.$field.as_ref())),)*];
                all.into_iter().filter_map(|(id, setting)| Some((id, setting?)))
            }

            /// Parses a raw value, written at this position, and sets the parameter to it.
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

            /// Merges this layer with a lower one; this layer wins.
            pub(super) fn over(self, lower: &Self) -> Self {
                Self { $($field: SettingValue::over(self.$field, &lower.$field),)* }
            }

            /// Replaces the value of a locked parameter by the value in `locked`, if there is one. Returns the
            /// replaced values, for a block with the name of each field.
            pub(super) fn lock(&mut self, id: Id, fields: &Fields, locked: &Self) -> Vec<(Option<&'static str>, Arc<AnySetting>)> {
                match id {
                    $(Id::$id => SettingValue::lock(&mut self.$field, fields, &locked.$field),)*
                }
            }

            /// Keeps only the values of these parameters; `by` maps the provenance of each.
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
