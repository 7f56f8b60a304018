//! The workloads of one side, and what they share with a Job: an image, or the Secret of a database.

use std::collections::{BTreeMap, BTreeSet};

use goyaml::Value;
use kube_jobs::kubernetes::pod::{self, Container};
use kube_jobs::kubernetes::{Image, Object};

use super::{Context, job_references};
use crate::survey::sync_order::{self, Moment};

/// Images that many applications use, so that sharing one means nothing. Each is the last part of a repository.
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

/// Parts of the names of images that look at a database, or copy it. They share its name and its Secret, no Job needs them, and they are not the
/// application.
const BESIDE: [&str; 5] = ["adminer", "backup", "exporter", "pgadmin", "proxy"];

/// Parts of the names of images that are a database, or a proxy between a database and its users. If a Job shares something with such a workload, the
/// Job needs it to run.
const SERVERS: [&str; 25] = [
    "cassandra",
    "clickhouse",
    "cockroach",
    "couchdb",
    "elasticsearch",
    "etcd",
    "galera",
    "influxdb",
    "kafka",
    "mariadb",
    "minio",
    "mongo",
    "mssql",
    "mysql",
    "neo4j",
    "opensearch",
    "oracle",
    "percona",
    "pgbouncer",
    "pgpool",
    "postgis",
    "postgres",
    "rabbitmq",
    "timescale",
    "vault",
];

/// Parts of the names of images that are a cache or a queue in memory. They share a Secret with the application, but a migration does not need them unless
/// it calls them.
const CACHES: [&str; 4] = ["keydb", "memcached", "redis", "valkey"];

/// Words in the names of variables, keys and Secrets that belong to a database. One of them is enough.
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

/// A workload with pods that a sync applies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workload<'l> {
    /// The index of the object in the survey.
    pub(super) index: usize,
    pub(super) object: &'l Object,
    /// The moment at which a sync first applies it.
    pub(super) moment: Moment,
}

impl Workload<'_> {
    /// Whether it is a database, or a proxy between a database and its users: a Job that shares something with it needs it.
    pub(super) fn is_server(&self) -> bool {
        self.images().any(|name| is_one_of(&SERVERS, name) && !is_one_of(&BESIDE, name))
    }

    /// Whether it is a database, or anything else about one, and not the application.
    pub(super) fn is_about_a_database(&self) -> bool {
        self.images().any(is_about_a_database)
    }

    /// The names of its images.
    fn images(&self) -> impl Iterator<Item = &str> {
        containers(self.object).into_iter().filter_map(|found| found.value.text_at(&["image"])).map(last_part)
    }

    /// Whether an init container of its pods waits for a Job or for what is in a database, or concerns migrations; or whether it tries in a loop to do
    /// something with an application of this Job.
    pub(super) fn waits_itself(&self, job: &Object) -> bool {
        let of_job = applications(job);
        let tries = |container: &Container<'_>| {
            let image = container.value.text_at(&["image"]).and_then(repository);
            let is_loop = |text: &str| is_loop(text) && !REACHES.iter().any(|word| text.contains(word));
            container.is_init && image.is_some_and(|image| of_job.contains(image)) && container.words().any(is_loop)
        };
        let is_about_migrations = |container: &Container<'_>| {
            let parts = ["name", "image", "command", "args"].into_iter().filter_map(|key| container.value.at(&[key]));
            let texts = parts.flat_map(|value| value.as_list().unwrap_or_default().iter().chain([value]));
            let mut texts = texts.filter_map(Value::as_text);
            container.is_init && texts.any(|text| text.contains("migrat") || polls_a_schema(text))
        };
        job_references::job_references(self.object).iter().any(|reference| reference.is_init && reference.waits)
            || pod::containers(self.object).iter().any(|container| is_about_migrations(container) || tries(container))
    }
}

impl Workload<'_> {
    /// Whether a variable of its pods needs a key of a Secret that a command line of the Job writes: the pods cannot start before that.
    pub(super) fn starts_after(&self, job: &Object) -> bool {
        let writes = |text: &&str| ["patch", "create", "apply"].iter().any(|verb| text.contains(verb));
        let written: Vec<&str> = command_lines(job).into_iter().filter(writes).collect();
        let containers = pod::containers(self.object);
        let variables = containers.iter().filter_map(|container| container.value.at(&["env"])?.as_list()).flatten();
        let mut needed = variables.filter_map(|variable| variable.at(&["valueFrom", "secretKeyRef"]));
        needed.any(|reference| {
            let is_optional = reference.is_true_at(&["optional"]);
            let (Some(name), Some(key)) = (reference.text_at(&["name"]), reference.text_at(&["key"])) else {
                return false;
            };
            !is_optional && written.iter().any(|text| names(text, name) && names(text, key))
        })
    }
}

/// Words of scripts that only ask whether something can be reached.
const REACHES: [&str; 9] = ["pg_isready", "nc ", "nslookup", "getent", "curl", "wget", "ping", "/dev/tcp", "select 1"];

/// Whether a script has a loop.
fn is_loop(script: &str) -> bool {
    ["until ", "while "].iter().any(|word| script.contains(word))
}

/// Whether a script asks a database in a loop for something that is in it. A loop until the database answers at all does not count.
fn polls_a_schema(script: &str) -> bool {
    let script = script.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| script.contains(word));
    is_loop(&script) && (has(&["schema", "regclass"]) || has(&["select "]) && has(&[" from "]))
}

/// The command lines and scripts of a Job, as written.
fn command_lines(job: &Object) -> Vec<&str> {
    containers(job).iter().flat_map(Container::words).collect()
}

/// Whether the text contains the name as a whole word.
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

/// Whether an object is a resource from which an operator makes a database, such as a Cluster of `postgresql.cnpg.io`. The Services and Secrets of the
/// database are then in no manifest.
pub(super) fn is_operated_database(object: &Object) -> bool {
    let name = format!("{}/{}", object.group(), object.kind()).to_lowercase();
    // What reads from a vault is not a server.
    let mut servers = SERVERS.into_iter().filter(|part| *part != "vault");
    servers.any(|part| name.contains(part)) && !is_one_of(&BESIDE, &name)
}

/// The containers of an object's pods, without init containers.
fn containers(object: &Object) -> Vec<Container<'_>> {
    pod::containers(object).into_iter().filter(|container| !container.is_init).collect()
}

/// The repositories of the images that an object's containers run, without generic images and databases, which say nothing about the application.
pub(super) fn applications(object: &Object) -> BTreeSet<&str> {
    let images = containers(object).into_iter().filter_map(|container| container.value.text_at(&["image"]));
    let is_own = |repository: &&str| {
        let name = last_part(repository);
        let is_generic = GENERIC.contains(&name) || name.contains("kubectl") || name.contains("wait-for");
        !is_generic && !is_about_a_database(name)
    };
    images.filter_map(repository).filter(is_own).collect()
}

fn is_about_a_database(name: &str) -> bool {
    [SERVERS.as_slice(), &CACHES, &BESIDE].iter().any(|parts| is_one_of(parts, name))
}

fn is_one_of(parts: &[&str], name: &str) -> bool {
    parts.iter().any(|part| name.contains(part))
}

/// The repository of an image, as people write it. None for a placeholder.
fn repository(image: &str) -> Option<&str> {
    if image.is_empty() || image.contains(['$', '{', '<', ' ']) {
        return None;
    }
    let image = Image::of(image).repository;
    let image = image.strip_prefix("docker.io/").unwrap_or(image);
    Some(image.strip_prefix("library/").unwrap_or(image))
}

/// The last part of the repository of an image.
pub(super) fn last_part(image: &str) -> &str {
    let repository = repository(image).unwrap_or("");
    repository.rsplit('/').next().unwrap_or(repository)
}

/// How the variables of an object's containers use a Secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// Whether the name of the variable, the key or the Secret indicates a database.
    pub(super) is_database: bool,
    /// Whether all keys of the Secret are used (`envFrom`).
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
        let list = |key| container.value.items_at(&[key]).iter();
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

fn is_of_database(name: &str) -> bool {
    words(name).iter().any(|word| DATABASE.contains(&word.as_str()))
}

/// The words of a name or a command line, in lower case: `DB_URL`, `db-url` and `dbUrl` give `db` and `url`.
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
    fn names_have_words() {
        assert_eq!(words("DB_URL"), ["db", "url"]);
        assert_eq!(words("dbUrl"), ["db", "url"]);
        assert_eq!(words("rake db:migrate"), ["rake", "db", "migrate"]);
        assert!(is_of_database("SPRING_DATASOURCE_URL") && is_of_database("shop-db") && !is_of_database("dubious"));
    }
}
