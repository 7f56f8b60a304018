//! Finds the references of a JSON schema that lead out of it.
//!
//! Measured with helm 3.18.4 (gojsonschema) and 4.2.1 (santhosh-tekuri/jsonschema): a reference that begins with `#`
//! loads nothing, whatever `$id` surrounds it. Every other reference is resolved against the nearest `$id` and
//! loaded, unless the schema contains a schema of that name. An `$id` alone loads nothing. helm 4 loads an unknown
//! `$schema`.

use std::collections::HashSet;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A reference that leads out of the schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outside {
    /// The value of `$schema`.
    Schema(String),
    /// The value of `$ref`, `$dynamicRef` or `$recursiveRef`.
    Reference(String),
}

/// The keys whose values are references, in all drafts.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The keys whose values name a schema, in all drafts.
const NAMES: [&str; 2] = ["$id", "id"];

/// The drafts that both libraries contain, so that a reference to them loads nothing.
const KNOWN: [&str; 3] = [
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
];

/// The first reference of a schema that leads out of it. Every object counts, even one that is not a schema, such as
/// a default: a library that treats it as a schema would load the reference.
pub(super) fn outside(text: &[u8]) -> serde_json::Result<Option<Outside>> {
    let mut found = Found::default();
    let mut json = serde_json::Deserializer::from_slice(text);
    Seed(&mut found).deserialize(&mut json)?;
    json.end()?;
    if let Some(url) = found.schemas.into_iter().find(|url| has_scheme(url) && !is_of_json_schema_org(url)) {
        return Ok(Some(Outside::Schema(url)));
    }
    // If all names are plain, they mean the same everywhere in the schema.
    let are_plain = found.names.iter().all(|name| is_plain(name));
    let is_inside = |reference: &String| {
        let document = reference.split('#').next().unwrap_or_default();
        document.is_empty() || KNOWN.contains(&document) || (are_plain && found.names.contains(document))
    };
    Ok(found.references.iter().find(|reference| !is_inside(reference)).cloned().map(Outside::Reference))
}

fn has_scheme(url: &str) -> bool {
    url.contains(':')
}

fn is_of_json_schema_org(url: &str) -> bool {
    ["http://json-schema.org/", "https://json-schema.org/"].iter().any(|site| url.starts_with(site))
}

/// Whether a name is a single word, such as `common.json`: no URL and no path.
fn is_plain(name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    name.chars().all(is_part) && !name.starts_with('.')
}

#[derive(Default)]
struct Found {
    schemas: Vec<String>,
    references: Vec<String>,
    names: HashSet<String>,
}

/// Reads a value and collects the references and names in it. A repeated key counts each time.
struct Seed<'f>(&'f mut Found);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    /// The text, when the value is a text.
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let Some(text) = map.next_value_seed(Seed(&mut *self.0))? else { continue };
            if REFERENCES.contains(&key.as_str()) {
                self.0.references.push(text);
            } else if NAMES.contains(&key.as_str()) {
                self.0.names.insert(text);
            } else if key == "$schema" {
                self.0.schemas.push(text);
            }
        }
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element_seed(Seed(&mut *self.0))?.is_some() {}
        Ok(None)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<String> {
        outside(text.as_bytes()).unwrap().map(|found| match found {
            Outside::Schema(url) => format!("$schema {url}"),
            Outside::Reference(url) => url,
        })
    }

    #[test]
    fn what_stays_inside_is_left_to_helm() {
        for text in [
            "true",
            "[1, 2.5, -3, null, \"$ref\"]",
            r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/values.json"}"#,
            r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$dynamicRef": "#node"}"##,
            r#"{"$schema": "draft-07"}"#,
            r##"{"$id": "https://example.com/x", "a": [{"$ref": "#/definitions/x"}, {"$ref": "#"}, {"$ref": ""}]}"##,
            r#"{"a": {"$ref": "http://json-schema.org/draft-07/schema#/definitions/x"}}"#,
            r#"{"a": {"$ref": "common.json#/x"}, "$defs": {"common": {"$id": "common.json"}}}"#,
            r#"{"properties": {"$ref": {"type": "string"}, "id": {"type": "string"}, "$schema": {}}}"#,
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn what_leads_out_is_found() {
        for (text, url) in [
            (r#"{"$ref": "file:///etc/passwd"}"#, "file:///etc/passwd"),
            (r#"{"a": [[{"b": {"$ref": "FILE:/etc/passwd"}}]]}"#, "FILE:/etc/passwd"),
            (r#"{"\u0024ref": "http://127.0.0.1/x"}"#, "http://127.0.0.1/x"),
            (r##"{"$ref": "http://127.0.0.1/x", "$ref": "#"}"##, "http://127.0.0.1/x"),
            (r#"{"$dynamicRef": "http://127.0.0.1/x"}"#, "http://127.0.0.1/x"),
            (r#"{"$recursiveRef": "http://127.0.0.1/x"}"#, "http://127.0.0.1/x"),
            (r#"{"$ref": "//127.0.0.1/x"}"#, "//127.0.0.1/x"),
            (r#"{"$ref": "../../etc/passwd"}"#, "../../etc/passwd"),
            (r#"{"$ref": "other.json"}"#, "other.json"),
            (r#"{"$ref": "?x"}"#, "?x"),
            (r#"{"default": {"$ref": "a:"}}"#, "a:"),
            (r#"{"$id": "http://127.0.0.1/", "a": {"$ref": "x.json"}, "b": {"$id": "x.json"}}"#, "x.json"),
            (r#"{"id": "http://127.0.0.1/x", "$ref": "http://127.0.0.1/x"}"#, "http://127.0.0.1/x"),
            (r#"{"$ref": "etc/x", "a": {"$id": "etc/x"}}"#, "etc/x"),
            (r#"{"$ref": "..", "a": {"$id": ".."}}"#, ".."),
            (r#"{"$ref": "http://json-schema.org/draft-03/schema"}"#, "http://json-schema.org/draft-03/schema"),
            (r#"{"$schema": "file:///etc/passwd"}"#, "$schema file:///etc/passwd"),
            (r#"{"$schema": "http://json-schema.org.example.com/"}"#, "$schema http://json-schema.org.example.com/"),
        ] {
            assert_eq!(first(text).as_deref(), Some(url), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        for text in ["{", "{} {}", "{\"a\": 'b'}", &"[".repeat(1000)] {
            assert!(outside(text.as_bytes()).is_err(), "{text}");
        }
    }
}
