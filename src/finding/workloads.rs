//! The workloads of one side, and what they have in common with a Job: an image, the Secret of a database.

use std::collections::{BTreeMap, BTreeSet};

use super::Context;
use super::job_references;
use crate::kubernetes::Object;
use crate::kubernetes::pod::{self, Container};
use crate::survey::sync_order::{self, Moment};
use crate::yaml::Value;

/// Images that many containers have in common without being one application: the last part of their repository.
const GENERIC: [&str; 50] = [
    "almalinux",
    "alpine",
    "amazonlinux",
    "aws-cli",
    "awscli",
    "azure-cli",
    "bash",
    "busybox",
    "centos",
    "cli",
    "cloud-sdk",
    "curl",
    "debian",
    "deno",
    "fedora",
    "git",
    "go",
    "golang",
    "helm",
    "httpd",
    "java",
    "jq",
    "k8s",
    "kcat",
    "kubectl",
    "mc",
    "minideb",
    "nginx",
    "node",
    "openjdk",
    "openshift-cli",
    "ose-cli",
    "oc",
    "os-shell",
    "perl",
    "php",
    "python",
    "rclone",
    "rockylinux",
    "ruby",
    "rust",
    "skopeo",
    "temurin",
    "toolbox",
    "ubi",
    "ubi-minimal",
    "ubi8",
    "ubi9",
    "ubuntu",
    "yq",
];

/// Parts of the name of an image that is a database, or stands between one and its users. A Job that shares something with it needs it
/// to run.
const SERVERS: [&str; 34] = [
    "adminer",
    "backup",
    "cassandra",
    "clickhouse",
    "cockroach",
    "couchdb",
    "elasticsearch",
    "etcd",
    "exporter",
    "galera",
    "influxdb",
    "kafka",
    "keydb",
    "mariadb",
    "memcached",
    "minio",
    "mongo",
    "mssql",
    "mysql",
    "neo4j",
    "opensearch",
    "oracle",
    "percona",
    "pgadmin",
    "pgbouncer",
    "pgpool",
    "postgis",
    "postgres",
    "proxy",
    "rabbitmq",
    "redis",
    "timescale",
    "valkey",
    "vault",
];

/// The name of a variable, a key or a Secret of a database has at least one of these words.
const DATABASE: [&str; 26] = [
    "cockroach",
    "cockroachdb",
    "database",
    "databases",
    "datasource",
    "db",
    "dbhost",
    "dbname",
    "dbpass",
    "dbpassword",
    "dburl",
    "dbuser",
    "dsn",
    "jdbc",
    "mariadb",
    "mongo",
    "mongodb",
    "mssql",
    "mysql",
    "pg",
    "pghost",
    "pgpassword",
    "postgres",
    "postgresql",
    "sql",
    "sqlalchemy",
];

/// A workload that a sync applies and that has pods.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workload<'l> {
    /// Its index in the survey.
    pub(super) index: usize,
    /// The object.
    pub(super) object: &'l Object,
    /// When it is applied.
    pub(super) moment: Moment,
}

impl Workload<'_> {
    /// Its kind and name: ``Deployment `web` ``.
    pub(super) fn described(&self) -> String {
        format!("{} `{}`", self.object.kind(), self.object.name().unwrap_or(""))
    }

    /// True for a database, or what stands between one and its users.
    pub(super) fn is_server(&self) -> bool {
        let images = containers(self.object).into_iter().filter_map(|container| container.value.text_at(&["image"]));
        images.map(last_part).any(|name| SERVERS.iter().any(|server| name.contains(server)))
    }

    /// True when a container of its pods waits for a Job, or has to do with migrations, before the others start.
    pub(super) fn waits_itself(&self) -> bool {
        let says = |value: &Value| match value {
            Value::List(words) => words.iter().filter_map(Value::as_text).any(|text| text.contains("migrat")),
            other => other.as_text().is_some_and(|text| text.contains("migrat")),
        };
        let is_about_migrations = |container: &Container<'_>| {
            let parts = ["name", "image", "command", "args"].into_iter().filter_map(|key| container.value.at(&[key]));
            container.is_init && parts.into_iter().any(says)
        };
        job_references::job_references(self.object).iter().any(|reference| reference.is_init && reference.waits)
            || pod::containers(self.object).iter().any(is_about_migrations)
    }
}

impl Workload<'_> {
    /// True when a variable of the workload's pods needs a key of a Secret that a command line of the Job writes: the pods cannot start before.
    pub(super) fn starts_after(&self, job: &Object) -> bool {
        let writes = |text: &&str| ["patch", "create", "apply"].iter().any(|verb| text.contains(verb));
        let written: Vec<&str> = command_lines(job).into_iter().filter(writes).collect();
        let containers = pod::containers(self.object);
        let variables = containers.iter().filter_map(|container| container.value.at(&["env"])?.as_list()).flatten();
        let mut needed = variables.filter_map(|variable| variable.at(&["valueFrom", "secretKeyRef"]));
        needed.any(|reference| {
            let is_optional = reference.at(&["optional"]) == Some(&Value::Bool(true));
            let (Some(name), Some(key)) = (reference.text_at(&["name"]), reference.text_at(&["key"])) else {
                return false;
            };
            !is_optional && written.iter().any(|text| names(text, name) && names(text, key))
        })
    }
}

/// The words of a Job's command lines and scripts.
fn command_lines(job: &Object) -> Vec<&str> {
    let texts = containers(job).into_iter().flat_map(|container| {
        let parts = ["command", "args"].into_iter().filter_map(|key| container.value.at(&[key])?.as_list());
        parts.flatten().filter_map(Value::as_text).collect::<Vec<_>>()
    });
    texts.collect()
}

/// True when the text contains the name as a whole word.
fn names(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// The workloads of a side that a sync applies, in the order of the manifests.
pub(super) fn workloads<'l>(context: &Context<'l>) -> Vec<Workload<'l>> {
    let is_one = |object: &Object| {
        pod::WORKLOADS.contains(&object.kind())
            && object.value().at(&["spec", "replicas"]).and_then(Value::as_number) != Some(0)
    };
    let found = context.objects().filter(|(_, object)| is_one(object) && object.name().is_some());
    found.filter_map(|(index, object)| Some(Workload { index, object, moment: sync_order::first(object)? })).collect()
}

/// The containers of an object's pods that do not end before the others start.
fn containers(object: &Object) -> Vec<Container<'_>> {
    pod::containers(object).into_iter().filter(|container| !container.is_init).collect()
}

/// The repositories of the images that an object's containers run, without those that say nothing about the application.
pub(super) fn applications(object: &Object) -> BTreeSet<&str> {
    let images = containers(object).into_iter().filter_map(|container| container.value.text_at(&["image"]));
    let is_own = |repository: &&str| {
        let name = last_part(repository);
        let is_generic = GENERIC.contains(&name) || name.contains("kubectl") || name.contains("wait-for");
        !is_generic && !SERVERS.iter().any(|server| name.contains(server))
    };
    images.filter_map(repository).filter(is_own).collect()
}

/// The repository of an image, as people write it; none for a placeholder.
fn repository(image: &str) -> Option<&str> {
    if image.is_empty() || image.contains(['$', '{', '<', ' ']) {
        return None;
    }
    let image = image.split('@').next().unwrap_or(image);
    let name_at = image.rfind('/').map_or(0, |slash| slash + 1);
    let end = image[name_at..].find(':').map_or(image.len(), |colon| name_at + colon);
    let image = &image[..end];
    let image = image.strip_prefix("docker.io/").unwrap_or(image);
    Some(image.strip_prefix("library/").unwrap_or(image))
}

/// The last part of an image's repository.
fn last_part(image: &str) -> &str {
    let repository = repository(image).unwrap_or("");
    repository.rsplit('/').next().unwrap_or(repository)
}

/// How an object's containers take a Secret into their variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// A name says that it is a database's: that of the variable, the key or the Secret.
    pub(super) is_database: bool,
    /// All of it is taken.
    pub(super) is_whole: bool,
}

/// The Secrets in the variables of an object's containers, by name.
pub(super) fn secrets(object: &Object) -> BTreeMap<&str, Taken> {
    let mut found: BTreeMap<&str, Taken> = BTreeMap::new();
    let mut add = |secret, is_database, is_whole| {
        let taken = found.entry(secret).or_default();
        taken.is_database |= is_database;
        taken.is_whole |= is_whole;
    };
    for container in containers(object) {
        let list = |key| container.value.at(&[key]).and_then(Value::as_list).unwrap_or(&[]).iter();
        for variable in list("env") {
            let reference = |key| variable.text_at(&["valueFrom", "secretKeyRef", key]);
            let Some(secret) = reference("name") else { continue };
            let names = [Some(secret), variable.text_at(&["name"]), reference("key")];
            add(secret, names.into_iter().flatten().any(is_of_database), false);
        }
        for secret in list("envFrom").filter_map(|from| from.text_at(&["secretRef", "name"])) {
            add(secret, is_of_database(secret), true);
        }
    }
    found
}

/// True when a command line of a Job asks for one of these names: of a workload, or of a Service before it.
pub(super) fn calls(job: &Object, names: &[&str]) -> bool {
    command_lines(job).into_iter().any(|text| names.iter().any(|name| asks(text, name)))
}

/// True when a text has a name where a host is: `http://web/`, `web:8080`, `--host web`; or `deployment/web`.
fn asks(text: &str, name: &str) -> bool {
    const BEFORE: [&str; 9] =
        ["://", "@", "deploy/", "deployment/", "statefulset/", "svc/", "--host=", "--host ", "-h "];
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_word = !before.ends_with(is_part) && !after.starts_with(is_part);
        // Before an `@` it is a user.
        let is_user = after.split(['/', ' ', '"', '\'', '\n']).next().is_some_and(|rest| rest.contains('@'));
        let has_port =
            after.strip_prefix(':').is_some_and(|port| port.starts_with(|digit: char| digit.is_ascii_digit()));
        is_word
            && !is_user
            && (has_port || after.starts_with(".svc") || BEFORE.iter().any(|part| before.ends_with(part)))
    })
}

fn is_of_database(name: &str) -> bool {
    words(name).iter().any(|word| DATABASE.contains(&word.as_str()))
}

/// The words of a name or a command line, in small letters: `DB_URL`, `db-url` and `dbUrl` are `db` and `url`.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for letter in text.chars() {
        let begins = !last.is_alphanumeric() || last.is_lowercase() && letter.is_uppercase();
        match words.last_mut() {
            Some(word) if letter.is_alphanumeric() && !begins => word.extend(letter.to_lowercase()),
            _ if letter.is_alphanumeric() => words.push(letter.to_lowercase().collect()),
            _ => {}
        }
        last = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_no_tag() {
        assert_eq!(repository("shop:1"), Some("shop"));
        assert_eq!(repository("docker.io/library/shop"), Some("shop"));
        assert_eq!(repository("r.example:5000/team/shop@sha256:0"), Some("r.example:5000/team/shop"));
        assert_eq!(repository("r.example/shop:1@sha256:0"), Some("r.example/shop"));
        assert_eq!(repository("{{ .Values.image }}"), None);
    }

    #[test]
    fn a_host_is_not_any_word() {
        for text in
            ["curl http://web/health", "wait-for web:8080", "psql -h web", "kubectl rollout status deployment/web"]
        {
            assert!(asks(text, "web"), "{text}");
        }
        for text in ["web migrate", "/srv/web/manage.py migrate", "http://web-db/", "postgres://web:secret@db/web"] {
            assert!(!asks(text, "web"), "{text}");
        }
    }

    #[test]
    fn names_have_words() {
        assert_eq!(words("DB_URL"), ["db", "url"]);
        assert_eq!(words("dbUrl"), ["db", "url"]);
        assert_eq!(words("rake db:migrate"), ["rake", "db", "migrate"]);
        assert!(is_of_database("SPRING_DATASOURCE_URL") && is_of_database("shop-db") && !is_of_database("dubious"));
    }
}
