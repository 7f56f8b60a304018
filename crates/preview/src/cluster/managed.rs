//! What server-side apply has applied of a live Job: the fields that Argo CD manages, with their live values.

use goyaml::Value;
use goyaml::value::Map;

/// The manager under which Argo CD applies (`ArgoCDSSAManager` in `common/common.go`).
const MANAGER: &str = "argocd-controller";

/// The Job as Argo CD applied it last by server-side apply, as far as no other manager has its fields too: the next apply removes from the live Job what
/// is in it and not in the new manifest. None if `metadata.managedFields` does not say so.
pub(super) fn applied(job: &Value) -> Option<Value> {
    let entries = job.items_at(&["metadata", "managedFields"]);
    let is_of_status = |entry: &&Value| entry.text_at(&["subresource"]).is_some_and(|name| !name.is_empty());
    let is_own =
        |entry: &&Value| entry.text_at(&["manager"]) == Some(MANAGER) && entry.text_at(&["operation"]) == Some("Apply");
    let (own, others): (Vec<&Value>, Vec<&Value>) =
        entries.iter().filter(|entry| !is_of_status(entry)).partition(|entry| is_own(entry));
    let fields = |entry: &Value| entry.at(&["fieldsV1"]).and_then(Value::as_map).cloned();
    let own = own.into_iter().find_map(fields)?;
    let others: Vec<Map> = others.into_iter().filter_map(fields).collect();
    Some(masked(job, &own, &others.iter().collect::<Vec<_>>()))
}

/// The part of a value that `own` names and none of `others` does (`FieldsV1` in `k8s.io/apimachinery/pkg/apis/meta/v1/types.go`).
fn masked(value: &Value, own: &Map, others: &[&Map]) -> Value {
    let (mut fields, mut items) = (Map::default(), Vec::new());
    for (key, below) in own {
        let of_others: Vec<&Value> = others.iter().filter_map(|other| other.get(key)).collect();
        let below = below.as_map().filter(|below| below.keys().any(|key| key != "."));
        let Some(found) = found(value, key) else { continue };
        let kept = match below {
            Some(below) => {
                let others: Vec<&Map> = of_others.into_iter().filter_map(Value::as_map).collect();
                masked(found, below, &others)
            }
            None if of_others.is_empty() => found.clone(),
            None => continue,
        };
        match key.strip_prefix("f:") {
            Some(field) => {
                fields.insert(field.into(), kept);
            }
            None => items.push(kept),
        }
    }
    if value.as_list().is_some() { Value::List(items.into()) } else { Value::Map(fields) }
}

/// The field, the item of these keys or the item of this value that a key of `fieldsV1` names.
fn found<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    let (prefix, name) = key.split_once(':')?;
    match prefix {
        "f" => value.at(&[name]),
        "k" => {
            let keys = Value::read(name).ok()?;
            let is_it =
                |item: &&Value| keys.as_map().into_iter().flatten().all(|(key, value)| item.at(&[key]) == Some(value));
            value.as_list()?.iter().find(is_it)
        }
        "v" => {
            let wanted = Value::read(name).ok()?;
            value.as_list()?.iter().find(|item| **item == wanted)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_argo_cd_alone_are_what_it_applied() {
        let job = Value::read(
            r#"{"metadata": {"managedFields": [
                {"manager": "argocd-controller", "operation": "Apply", "fieldsV1": {"f:spec": {"f:suspend": {}, "f:template": {"f:spec": {
                    "f:containers": {"k:{\"name\":\"c\"}": {".": {}, "f:name": {}, "f:args": {}, "f:env": {"k:{\"name\":\"A\"}": {".": {}, "f:name": {}}}}}}}}}},
                {"manager": "kueue", "operation": "Update", "fieldsV1": {"f:spec": {"f:suspend": {}}}},
                {"manager": "argocd-controller", "operation": "Apply", "subresource": "status", "fieldsV1": {"f:status": {}}}]},
              "spec": {"suspend": true, "backoffLimit": 6, "template": {"spec": {"dnsPolicy": "ClusterFirst", "containers": [
                {"name": "other", "image": "b"}, {"name": "c", "image": "a", "args": ["x"], "env": [{"name": "A"}, {"name": "B"}]}]}}}}"#,
        );
        let wanted = Value::read("spec: {template: {spec: {containers: [{name: c, args: [x], env: [{name: A}]}]}}}");
        assert_eq!(applied(&job.unwrap()), wanted.ok());
    }

    #[test]
    fn without_managed_fields_nothing_is_known() {
        assert_eq!(applied(&Value::read("{metadata: {name: a}}").unwrap()), None);
        let by_hand = r#"{"metadata": {"managedFields": [{"manager": "kubectl", "operation": "Apply", "fieldsV1": {"f:spec": {}}}]}}"#;
        assert_eq!(applied(&Value::read(by_hand).unwrap()), None);
    }
}
