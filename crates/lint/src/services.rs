//! The Services of one side: which workload answers at which host, and which of them a Job calls.

use std::collections::{BTreeSet, HashMap};

use goyaml::Value;
use kube_jobs::kubernetes::{Object, pod};

use super::Context;

/// The ports at which databases and their queues listen: SQL Server, Oracle, MySQL, PostgreSQL, RabbitMQ, PgBouncer, Neo4j, Cassandra, Kafka,
/// CockroachDB, MongoDB. What listens there is no application, whatever the name of its image.
const DATABASE_PORTS: [i64; 11] = [1433, 1521, 3306, 5432, 5672, 6432, 7687, 9042, 9092, 26257, 27017];

/// Parts of the names of variables that hold a host. Others can have the same value for another reason: the name of a database or a user.
const OF_HOSTS: [&str; 8] = ["ADDR", "BROKER", "DSN", "ENDPOINT", "HOST", "SERVER", "URI", "URL"];

/// The Services of a side, by namespace.
pub(super) struct Services<'l> {
    /// Those that select pods, by the first label that they want.
    by_label: HashMap<(&'l str, Label<'l>), Vec<&'l Object>>,
    /// Those that do not: something else says where they lead.
    without: HashMap<&'l str, Vec<&'l Object>>,
}

/// The key and the value of a label.
type Label<'l> = (&'l str, &'l str);

/// What pods can reach a workload by.
pub(super) struct Served<'l> {
    namespace: &'l str,
    /// The names of the workload and of its Services.
    pub(super) names: Vec<&'l str>,
    /// Whether it listens at the port of a database: in a container, or by a Service that selects it.
    pub(super) is_database: bool,
}

impl<'l> Services<'l> {
    pub(super) fn of(context: &'l Context<'_>) -> Self {
        let mut services = Self { by_label: HashMap::new(), without: HashMap::new() };
        let found = context.objects().filter(|(_, object)| (object.group(), object.kind()) == ("", "Service"));
        for (_, service) in found {
            let namespace = context.survey.namespace(service);
            let first = labels(service, &["spec", "selector"]).next();
            let list = match first {
                Some(label) => services.by_label.entry((namespace, label)).or_default(),
                None => services.without.entry(namespace).or_default(),
            };
            list.push(service);
        }
        services
    }

    /// The Services that select the pods of a workload in `namespace`.
    pub(super) fn selecting(&self, workload: &'l Object, namespace: &'l str) -> Vec<&'l Object> {
        let own: Vec<Label<'l>> = labels(workload, &["spec", "template", "metadata", "labels"]).collect();
        let wanted = own.iter().filter_map(|label| self.by_label.get(&(namespace, *label))).flatten().copied();
        let selects = |service: &&Object| labels(service, &["spec", "selector"]).all(|label| own.contains(&label));
        wanted.filter(selects).collect()
    }

    /// What pods can reach a workload in `namespace` by.
    pub(super) fn serving(&self, workload: &'l Object, namespace: &'l str) -> Served<'l> {
        let selecting = self.selecting(workload, namespace);
        let name = workload.name().unwrap_or("");
        let is_longer = |one: &str, other: &str| one.strip_prefix(other).is_some_and(|rest| rest.starts_with('-'));
        let is_alike = |service: &&str| is_longer(service, name) || is_longer(name, service);
        let alike = self.without.get(namespace).into_iter().flatten().filter_map(|service| service.name());
        let names = workload.name().into_iter().chain(selecting.iter().filter_map(|service| service.name()));
        let names = names.chain(alike.filter(is_alike)).collect();
        let containers = pod::containers(workload);
        let own = containers.iter().filter(|found| !found.is_init).flat_map(|found| found.value.items_at(&["ports"]));
        let ports = own.chain(selecting.iter().flat_map(|service| service.value().items_at(&["spec", "ports"])));
        let numbers = ports.flat_map(|port| ["containerPort", "port", "targetPort"].map(|key| port.at(&[key])));
        let is_database = numbers.flatten().filter_map(Value::as_number).any(|number| DATABASE_PORTS.contains(&number));
        Served { namespace, names, is_database }
    }
}

impl Served<'_> {
    /// The names by which pods of the namespace `from` reach it.
    pub(super) fn hosts(&self, from: &str) -> Vec<String> {
        self.names.iter().map(|name| host(name, self.namespace, from)).collect()
    }
}

/// The host by which pods of the namespace `from` reach a name of another one.
pub(super) fn host(name: &str, namespace: &str, from: &str) -> String {
    if namespace == from { name.to_owned() } else { format!("{name}.{namespace}") }
}

/// The labels at a path of an object.
fn labels<'o>(object: &'o Object, path: &[&str]) -> impl Iterator<Item = Label<'o>> {
    let map = object.value().at(path).and_then(Value::as_map);
    map.into_iter().flat_map(|map| map.iter()).filter_map(|(key, value)| Some((key.as_str(), value.as_text()?)))
}

/// Whether a command line of a Job calls one of these hosts, also that of an init container: those often wait for what the Job needs.
pub(super) fn calls(job: &Object, hosts: &[String]) -> bool {
    pod::containers(job).iter().any(|container| {
        // A flag and its value are often two words.
        let line = container.words().collect::<Vec<_>>().join(" ");
        hosts.iter().any(|host| asks(&line, host))
    })
}

/// The words in command lines and variables of a Job that can be the first label of a host.
pub(super) fn first_labels(job: &Object) -> BTreeSet<&str> {
    let mut texts = Vec::new();
    for container in pod::containers(job) {
        texts.extend(container.words());
        let variables = container.value.items_at(&["env"]).iter();
        texts.extend(variables.filter_map(|variable| variable.text_at(&["value"])));
    }
    texts.into_iter().flat_map(|text| text.split(|letter| !is_of_name(letter))).collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '-' || letter == '_'
}

/// Whether the value of a variable of a Job names one of these hosts. It does not say that the Job calls it.
pub(super) fn is_in_a_variable(job: &Object, hosts: &[String]) -> bool {
    let containers = pod::containers(job);
    let mut variables = containers.iter().flat_map(|container| container.value.items_at(&["env"]));
    variables.any(|variable| {
        let (Some(name), Some(value)) = (variable.text_at(&["name"]), variable.text_at(&["value"])) else {
            return false;
        };
        let is_of_hosts = OF_HOSTS.iter().any(|part| name.to_uppercase().contains(part));
        hosts.iter().any(|host| asks(value, host) || is_of_hosts && is_host(value, host))
    })
}

/// Whether a value is a host: its name, also with the namespace and the domain of the cluster behind it.
fn is_host(value: &str, host: &str) -> bool {
    value.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with('.') && !is_of_other_domain(rest))
}

/// Whether what follows a name makes it a host outside of the cluster, as in `db.example.com`. In the cluster, the namespace and `svc` follow.
fn is_of_other_domain(after: &str) -> bool {
    let Some((label, rest)) = after.strip_prefix('.').and_then(|labels| labels.split_once('.')) else { return false };
    label != "svc" && label.chars().all(is_of_name) && rest.starts_with(is_of_name) && !rest.starts_with("svc")
}

/// Whether a text has a name in the place of a host, as in `http://web/`, `web:8080` and `--host web`, or names a workload, as in `deployment/web`.
fn asks(text: &str, name: &str) -> bool {
    const BEFORE: [&str; 9] =
        ["://", "@", "deploy/", "deployment/", "statefulset/", "svc/", "--host=", "--host ", "-h "];
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_word = !before.ends_with(is_of_name) && !after.starts_with(is_of_name);
        // A name before an `@` is a user.
        let is_user = after.split(['/', ' ', '"', '\'', '\n']).next().is_some_and(|rest| rest.contains('@'));
        let is_port = |port: &str| port.starts_with(|digit: char| digit.is_ascii_digit());
        // `nc db 5432`
        let is_second = |port: &str| port.bytes().take_while(u8::is_ascii_digit).count() > 1;
        let has_port = after.strip_prefix(':').is_some_and(is_port) || after.strip_prefix(' ').is_some_and(is_second);
        is_word
            && !is_user
            && !is_of_other_domain(after)
            && (has_port || after.starts_with(".svc") || BEFORE.iter().any(|part| before.ends_with(part)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_not_any_word() {
        for text in [
            "curl http://web/health",
            "wait-for web:8080",
            "nc -z web 8080",
            "psql -h web",
            "kubectl rollout status deployment/web",
        ] {
            assert!(asks(text, "web"), "{text}");
        }
        for text in [
            "web migrate",
            "web 5",
            "/srv/web/manage.py migrate",
            "http://web-db/",
            "postgres://web:secret@db/web",
            "http://web.example.com/",
        ] {
            assert!(!asks(text, "web"), "{text}");
        }
        assert!(is_host("web", "web") && is_host("web.shop.svc", "web") && asks("http://web.shop.svc.local/", "web"));
        assert!(!is_host("web-db", "web") && !is_host("web.example.com", "web"));
    }
}
