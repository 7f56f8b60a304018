//! The types of all fields in the `spec` of a Job, as Kubernetes decodes them, and the rules for single fields.
//!
//! `types.txt` has a line for each type of `k8s.io/api`, with its fields; `interop/apiserver/schema_test.go` writes it. Values are decoded as
//! `sigs.k8s.io/json` decodes them into Go types: keys are case-sensitive, unknown fields are dropped, null means absent.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use goyaml::value::Map;
use goyaml::{Path, Step, Value};

use super::{Found, Invalid, has_placeholder, int32, name};
use crate::argocd;
use crate::kubernetes::name::label_value;
use crate::kubernetes::{dns, quantity};

/// The fields of a type, by name.
type Fields = BTreeMap<&'static str, Field>;

/// A field of a type.
struct Field {
    /// The name of its type.
    kind: &'static str,
    /// Whether there is a rule for its value.
    has_rule: bool,
}

/// The fields of each type, and their types.
static TYPES: LazyLock<HashMap<&'static str, Fields>> = LazyLock::new(|| {
    let types = include_str!("types.txt").lines().filter_map(|line| line.split_once(' '));
    let of_type = |name, fields: &'static str| {
        let fields = fields.split(' ').filter_map(|field| field.split_once(':'));
        fields.map(|(field, kind)| (field, Field { kind, has_rule: has_rule(name, field) })).collect()
    };
    types.map(|(name, fields)| (name, of_type(name, fields))).collect()
});

/// The allowed values of a field, by type and field. An empty text is also allowed and means the default.
const WORDS: [(&str, &str, &[&str]); 8] = [
    ("Container", "imagePullPolicy", &["Always", "IfNotPresent", "Never"]),
    ("Container", "terminationMessagePolicy", &["FallbackToLogsOnError", "File"]),
    ("ContainerPort", "protocol", &["SCTP", "TCP", "UDP"]),
    ("HTTPGetAction", "scheme", &["HTTP", "HTTPS"]),
    ("JobSpec", "completionMode", &["Indexed", "NonIndexed"]),
    ("JobSpec", "podReplacementPolicy", &["Failed", "TerminatingOrFailed"]),
    ("PodFailurePolicyOnExitCodesRequirement", "operator", &["In", "NotIn"]),
    ("PodSpec", "dnsPolicy", &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
];
/// The minimum and the maximum of numbers, by type and field.
const NUMBERS: [(&str, &str, i64, i64); 17] = [
    ("ContainerPort", "containerPort", 1, MAX_PORT),
    ("ContainerPort", "hostPort", 0, MAX_PORT),
    ("GRPCAction", "port", 1, MAX_PORT),
    ("HTTPGetAction", "port", 1, MAX_PORT),
    ("JobSpec", "activeDeadlineSeconds", 0, i64::MAX),
    ("JobSpec", "backoffLimit", 0, i64::MAX),
    ("JobSpec", "backoffLimitPerIndex", 0, i64::MAX),
    ("JobSpec", "completions", 0, i64::MAX),
    ("JobSpec", "maxFailedIndexes", 0, i64::MAX),
    ("JobSpec", "parallelism", 0, i64::MAX),
    ("JobSpec", "ttlSecondsAfterFinished", 0, i64::MAX),
    ("PodSpec", "activeDeadlineSeconds", 1, MAX_INT32),
    ("Probe", "failureThreshold", 0, i64::MAX),
    ("Probe", "initialDelaySeconds", 0, i64::MAX),
    ("Probe", "periodSeconds", 0, i64::MAX),
    ("Probe", "timeoutSeconds", 0, i64::MAX),
    ("TCPSocketAction", "port", 1, MAX_PORT),
];
const MAX_PORT: i64 = 65535;
const MAX_INT32: i64 = i32::MAX as i64;
/// Fields that must be set and not empty, by type.
const REQUIRED: [(&str, &str); 17] = [
    ("ConfigMapEnvSource", "name"),
    ("ConfigMapKeySelector", "key"),
    ("ConfigMapKeySelector", "name"),
    ("ConfigMapVolumeSource", "name"),
    ("Container", "image"),
    ("Container", "name"),
    ("ContainerPort", "containerPort"),
    ("EnvVar", "name"),
    ("HostPathVolumeSource", "path"),
    ("PersistentVolumeClaimVolumeSource", "claimName"),
    ("SecretEnvSource", "name"),
    ("SecretKeySelector", "key"),
    ("SecretKeySelector", "name"),
    ("SecretVolumeSource", "secretName"),
    ("Volume", "name"),
    ("VolumeMount", "mountPath"),
    ("VolumeMount", "name"),
];
/// Fields whose value is a name, by type; true if the name must be a label, which has no dots.
const NAMES: [(&str, &str, bool); 7] = [
    ("ConfigMapEnvSource", "name", false),
    ("ConfigMapKeySelector", "name", false),
    ("Container", "name", true),
    ("PodSpec", "serviceAccountName", false),
    ("SecretEnvSource", "name", false),
    ("SecretKeySelector", "name", false),
    ("Volume", "name", true),
];
/// The lists whose items server-side apply knows by keys, each with the value that stands for a missing one (`x-kubernetes-list-map-keys`, with defaults,
/// in `k8s.io/client-go/applyconfigurations/internal/internal.go`). Two containers, volumes or mounts of one key are refused anyway.
const KEYS: [(&str, &str, Keys); 9] = [
    ("Container", "env", &[("name", "")]),
    ("Container", "ports", &[("containerPort", ""), ("protocol", "TCP")]),
    ("Container", "volumeDevices", &[("devicePath", "")]),
    ("ObjectMeta", "ownerReferences", &[("uid", "")]),
    ("PodSpec", "hostAliases", &[("ip", "")]),
    ("PodSpec", "imagePullSecrets", &[("name", "")]),
    ("PodSpec", "schedulingGates", &[("name", "")]),
    ("PodSpec", "topologySpreadConstraints", &[("topologyKey", ""), ("whenUnsatisfiable", "")]),
    ("ResourceRequirements", "claims", &[("name", "")]),
];
/// The keys of a list, each with the value that stands for a missing one.
type Keys = &'static [(&'static str, &'static str)];
/// Fields that newer versions of Kubernetes have, which are kept whole.
const NEWER: [(&str, &str); 4] = [
    ("JobSpec", "scheduling"),
    ("PodCertificateProjection", "userAnnotations"),
    ("PodSpec", "schedulingGroup"),
    ("PodSpec", "workloadRef"),
];
/// The version of Kubernetes whose types these are.
const NEWEST: (u64, u64) = (1, 34);
/// The words for a quantity in messages.
const AMOUNT: &str = "an amount such as `500m` or `1Gi`";
/// Maps of labels in `spec`, by type and field.
const LABELS: [(&str, &str); 2] = [("LabelSelector", "matchLabels"), ("PodSpec", "nodeSelector")];
/// The maps in `metadata` and the functions that check them.
pub(super) const MAPS: [(&str, Judge); 2] = [("annotations", annotations), ("labels", labels)];
type Judge = fn(&Path, Option<&Value>, &mut Found);

/// The mistakes in single fields.
pub(super) struct Read {
    /// Values of the wrong type.
    pub(super) wrong_types: Vec<Invalid>,
    /// Values of the right type that Kubernetes does not accept.
    pub(super) wrong_values: Vec<Invalid>,
    /// What only server-side apply refuses.
    pub(super) on_server: Vec<Invalid>,
}

/// Checks a value at `path`, as the type of `types.txt` with the name `kind`.
pub(super) fn read(path: Path, value: &Value, kind: &'static str) -> Read {
    let none = || Found(Vec::new());
    let mut reader = Reader { steps: path.steps().to_vec(), types: none(), values: none(), on_server: none() };
    reader.value(value, kind);
    Read { wrong_types: reader.types.0, wrong_values: reader.values.0, on_server: reader.on_server.0 }
}

/// Removes the fields that the type with the name `kind` does not have, as the API server does.
pub(in crate::kubernetes) fn prune(value: &mut Value, kind: &'static str) {
    let inner = |prefix| kind.strip_prefix(prefix);
    match (value, inner("[]"), inner("{}"), TYPES.get(kind)) {
        (Value::List(items), Some(kind), ..) => items.iter_mut().for_each(|item| prune(item, kind)),
        (Value::Map(map), _, Some(kind), _) => map.iter_mut().for_each(|(_, value)| prune(value, kind)),
        (Value::Map(map), _, _, Some(fields)) => {
            map.retain(|key, _| is_field(kind, fields, key));
            for (key, value) in map.iter_mut() {
                fields.get(key.as_str()).into_iter().for_each(|field| prune(value, field.kind));
            }
        }
        _ => {}
    }
}

/// Whether the type with the name `kind` has a field at a path.
pub(super) fn has_path(steps: &[Step], kind: &'static str) -> bool {
    let inner = |prefix| kind.strip_prefix(prefix);
    let Some((step, rest)) = steps.split_first() else { return true };
    match (step, inner("[]"), inner("{}"), TYPES.get(kind)) {
        (Step::Item(_), Some(kind), ..) | (Step::Key(_), _, Some(kind), _) => has_path(rest, kind),
        (Step::Key(key), _, _, Some(fields)) => {
            fields.get(key.as_str()).map_or_else(|| is_field(kind, fields, key), |field| has_path(rest, field.kind))
        }
        _ => true,
    }
}

/// Whether the types are older than a cluster of this version, which may have more fields.
pub(super) fn are_older_than(kube_version: Option<&str>) -> bool {
    kube_version.is_some_and(|version| argocd::minor_kube_version(version) > NEWEST)
}

/// Whether the type with the name `kind` has a field of this name, in this version of Kubernetes or a newer one.
fn is_field(kind: &str, fields: &Fields, field: &str) -> bool {
    fields.contains_key(field) || NEWER.contains(&(kind, field))
}

/// Whether [`Reader::rules`] or [`Reader::keys`] look at a field of a type.
fn has_rule(kind: &str, field: &str) -> bool {
    let is_it = |of: &str, name: &str| of == kind && name == field;
    WORDS.iter().any(|(of, name, _)| is_it(of, name))
        || NUMBERS.iter().any(|(of, name, ..)| is_it(of, name))
        || NAMES.iter().any(|(of, name, _)| is_it(of, name))
        || KEYS.iter().any(|(of, name, _)| is_it(of, name))
        || LABELS.iter().any(|(of, name)| is_it(of, name))
        || MAPS.iter().any(|(name, _)| is_it("ObjectMeta", name))
}

/// Whether a type has a field of this name.
pub(super) fn has_field(kind: &str, field: &str) -> bool {
    TYPES.get(kind).is_some_and(|fields| fields.contains_key(field))
}

struct Reader {
    steps: Vec<Step>,
    types: Found,
    values: Found,
    on_server: Found,
}

impl Reader {
    fn path(&self) -> Path {
        self.steps.iter().cloned().collect()
    }

    fn at(&mut self, step: Step, value: &Value, kind: &'static str) {
        self.steps.push(step);
        self.value(value, kind);
        self.steps.pop();
    }

    fn value(&mut self, value: &Value, kind: &'static str) {
        let inner = |prefix| kind.strip_prefix(prefix);
        match (value, inner("[]"), inner("{}"), TYPES.get(kind)) {
            (Value::Null, ..) => {}
            (Value::List(items), Some(kind), ..) => {
                items.iter().enumerate().for_each(|(index, item)| self.at(index.into(), item, kind));
            }
            (Value::Map(map), _, Some(kind), _) => map.iter().for_each(|(key, value)| self.at(key.into(), value, kind)),
            (Value::Map(map), _, _, Some(fields)) => self.fields(map, kind, fields),
            (_, Some(_), ..) => self.wrong(value, "a list"),
            (_, _, Some(_), _) | (_, _, _, Some(_)) => self.wrong(value, "a map"),
            _ => self.scalar(value, kind),
        }
    }

    fn scalar(&mut self, value: &Value, kind: &str) {
        match (kind, value) {
            (_, Value::String(text)) if kind != "string" && has_placeholder(text) => {}
            ("any", _)
            | ("string" | "int-or-string", Value::String(_))
            | ("bool", Value::Bool(_))
            // Server-side apply also accepts some integers above 32 bits.
            | ("int32" | "int64" | "int-or-string", Value::Int(_)) => {}
            ("quantity", Value::Int(_) | Value::Float(_)) => {}
            ("quantity", Value::String(text)) if quantity::may_be(text) => {}
            ("quantity", _) => self.wrong(value, AMOUNT),
            ("string", _) => self.wrong(value, "a string"),
            ("bool", _) => self.wrong(value, "`true` or `false`"),
            ("int-or-string", _) => self.wrong(value, "a whole number or a string"),
            _ => self.wrong(value, "a whole number"),
        }
    }

    /// Adds a value of the wrong type. The message shows the value only if an amount was expected, because any other value may be a secret.
    fn wrong(&mut self, value: &Value, wanted: &str) {
        let path = self.path();
        let is_quoted = |text: &str| text.parse::<i64>().is_ok() || matches!(text, "true" | "false");
        let help = match value {
            Value::Int(_) | Value::Float(_) | Value::Bool(_) if wanted == "a string" => {
                format!("put the value of `{path}` in quotes")
            }
            Value::String(text) if is_quoted(text) => format!("write the value of `{path}` without quotes"),
            _ => format!("set `{path}` to {wanted}"),
        };
        let kind = match value {
            Value::Float(_) if wanted == "a whole number" => "a number with a fraction",
            value => value.kind(),
        };
        let what = match (value, wanted) {
            (Value::String(text), AMOUNT) => format!("`{path}: {text}` is not {AMOUNT}"),
            _ => format!("`{path}` is {kind}, not {wanted}"),
        };
        self.types.add(path.clone(), what, help);
    }

    fn fields(&mut self, map: &Map, kind: &str, fields: &Fields) {
        for key in map.keys().filter(|key| !is_field(kind, fields, key) && !has_placeholder(key)) {
            let like = fields.keys().copied().find(|field| field.eq_ignore_ascii_case(key));
            self.on_server.add_unknown(self.path().with(key), like);
        }
        for (key, value) in map.iter() {
            let Some((name, field)) = fields.get_key_value(key.as_str()) else { continue };
            if field.has_rule {
                self.rules(value, kind, name);
                self.keys(value, kind, name);
            }
            self.at((*name).into(), value, field.kind);
        }
        for (_, field) in REQUIRED.iter().filter(|(of, _)| *of == kind) {
            let is_empty = map.get(*field).is_none_or(|value| *value == Value::Null || value.as_text() == Some(""));
            if is_empty {
                let path = self.path();
                self.values.add(path.clone(), format!("`{path}` has no `{field}`"), format!("add `{path}.{field}`"));
            }
        }
    }

    /// Two items of one key, which server-side apply refuses.
    fn keys(&mut self, value: &Value, kind: &str, field: &str) {
        let Some((.., keys)) = KEYS.iter().find(|(of, name, _)| *of == kind && *name == field) else { return };
        let mut known = BTreeSet::new();
        for (index, item) in value.as_list().unwrap_or_default().iter().enumerate() {
            let of_item = |(key, default): &(&str, &str)| match item.at(&[key]) {
                None | Some(Value::Null) => (*default).to_owned(),
                Some(Value::Int(number)) => number.to_string(),
                Some(value) => value.as_text().unwrap_or_default().to_owned(),
            };
            let key: Vec<String> = keys.iter().map(of_item).collect();
            if !key.iter().all(String::is_empty)
                && !known.insert(key.clone())
                && !key.iter().any(|key| has_placeholder(key))
            {
                let path = self.path().with(field);
                let names: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
                let what = format!(
                    "two items of `{path}` have the same `{}`, and server-side apply takes one",
                    names.join("` and `")
                );
                self.on_server.add(path.with(index), what, "remove one of the two");
            }
        }
    }

    fn rules(&mut self, value: &Value, kind: &str, field: &str) {
        let path = |reader: &Self| reader.path().with(field);
        let is_it = |of: &str, name: &str| of == kind && name == field;
        if let Some((.., words)) = WORDS.iter().find(|(of, name, _)| is_it(of, name))
            && let Some(word) = value.as_text()
            && !word.is_empty()
            && !words.contains(&word)
            && !has_placeholder(word)
        {
            let what = format!("Kubernetes does not know `{field}: {word}`");
            self.values.add(path(self), what, format!("write one of `{}`", words.join("`, `")));
        }
        if let Some((.., least, most)) = NUMBERS.iter().find(|(of, name, ..)| is_it(of, name))
            && let Value::Int(number) = value
            && let Some(kept) = if field == "activeDeadlineSeconds" { Some(*number) } else { int32(value) }
            && !(*least..=*most).contains(&kept)
        {
            let range = if *most == i64::MAX && number < least {
                format!("at least {least}")
            } else {
                format!("a number from {least} to {}", most.min(&MAX_INT32))
            };
            let path = path(self);
            self.values.add(path.clone(), format!("`{path}` is {number}"), format!("write {range}"));
        }
        if let Some((.., is_label)) = NAMES.iter().find(|(of, name, _)| is_it(of, name))
            && let Some(why) = name::of_field(value, *is_label)
        {
            let characters =
                if *is_label { "lowercase letters, digits and `-`" } else { "lowercase letters, digits, `-` and `.`" };
            let path = path(self);
            self.values.add(path.clone(), format!("`{path}`: {why}"), format!("use only {characters}"));
        }
        if LABELS.iter().any(|(of, name)| is_it(of, name)) {
            labels(&path(self), Some(value), &mut self.values);
        }
        for (_, judge) in MAPS.iter().filter(|(name, _)| is_it("ObjectMeta", name)) {
            judge(&path(self), Some(value), &mut self.values);
        }
    }
}

/// Checks the keys and values of a map of labels (`ValidateLabels` in `k8s.io/apimachinery`).
fn labels(path: &Path, map: Option<&Value>, found: &mut Found) {
    for (key, value) in map.and_then(Value::as_map).into_iter().flatten() {
        let path = path.with(key);
        if !has_placeholder(key) && !is_qualified(key) {
            found.add(path.clone(), format!("`{key}` cannot be the key of a label"), OF_LABELS);
        }
        if let Some(text) = value.as_text().filter(|text| !has_placeholder(text) && label_value(text) != **text) {
            found.add(path, format!("`{text}` cannot be the value of the label `{key}`"), OF_LABELS);
        }
    }
}

const OF_LABELS: &str = "use at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends";

/// Checks the keys of a map of annotations (`ValidateAnnotations`). The rules are those of labels, but capital letters are allowed in the domain.
fn annotations(path: &Path, map: Option<&Value>, found: &mut Found) {
    let keys = map.and_then(Value::as_map).into_iter().flatten().map(|(key, _)| key);
    for key in keys.filter(|key| !has_placeholder(key) && !is_qualified(&key.to_lowercase())) {
        found.add(path.with(key), format!("`{key}` cannot be the key of an annotation"), OF_LABELS);
    }
}

/// Whether a text can be the key of a label (`IsQualifiedName`): a name, with or without a domain and a slash before it.
fn is_qualified(key: &str) -> bool {
    let (is_domain, name) = match key.split_once('/') {
        Some((domain, name)) => (dns::subdomain(domain).is_ok(), name),
        None => (true, key),
    };
    is_domain && !name.is_empty() && label_value(name) == name
}
