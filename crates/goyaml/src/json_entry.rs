//! Looks for an entry in JSON, also for one that Go does not keep because the same key comes again.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::json_document::whole_characters;

/// Whether some map of a JSON value, at any depth, has the key with this text. None if the text does not begin with a JSON value.
pub fn has_entry(text: &str, key: &str, value: &str) -> Option<bool> {
    let whole = whole_characters(text);
    let mut found = false;
    let search = Search { key, value, found: &mut found };
    search.deserialize(&mut serde_json::Deserializer::from_str(&whole)).ok()?;
    Some(found)
}

/// Visits a value, and returns whether it is the text that is searched.
struct Search<'s> {
    key: &'s str,
    value: &'s str,
    found: &'s mut bool,
}

impl Search<'_> {
    fn below(&mut self) -> Search<'_> {
        Search { key: self.key, value: self.value, found: self.found }
    }
}

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(text == self.value)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<bool, A::Error> {
        while items.next_element_seed(self.below())?.is_some() {}
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<bool, A::Error> {
        while let Some(key) = entries.next_key::<String>()? {
            let is_meant = entries.next_value_seed(self.below())? && key == self.key;
            *self.found |= is_meant;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_wherever_it_is() {
        for (text, found) in [
            (r#"{"kind":"Secret"}"#, Some(true)),
            (r#"{"items":[1,null,{"kind":"S\u0065cret"}]}"#, Some(true)),
            (r#"{"kind":"Secret","kind":"Job"}"#, Some(true)),
            (r#"{"items":[{"kind":"Secret"}],"items":[]}"#, Some(true)),
            (r#"{"kind":"Job","a":"Secret","b":{"Secret":"kind"}}"#, Some(false)),
            (r#"{"kind":["Secret"],"a":"\ud800"}"#, Some(false)),
            (r#"{"kind":"Job"} rest"#, Some(false)),
            (r#"{"kind":"Secret""#, None),
            ("kind: Secret", None),
        ] {
            assert_eq!(has_entry(text, "kind", "Secret"), found, "{text}");
        }
    }
}
