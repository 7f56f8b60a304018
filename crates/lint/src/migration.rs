//! Guesses from its words whether a Job prepares a database for an application.

use kube_jobs::kubernetes::{Job, pod};

use super::workloads::words;

/// Programs that only prepare databases.
const TOOLS: [&str; 7] = ["alembic", "dbmate", "flyway", "goose", "initdb", "liquibase", "sqitch"];

/// Words for the preparation of a database.
const VERBS: [&str; 14] = [
    "bootstrap",
    "create",
    "init",
    "initialise",
    "initialize",
    "initializer",
    "install",
    "prepare",
    "provision",
    "push",
    "setup",
    "sync",
    "update",
    "upgrade",
];

/// Words in the names of Jobs that run in parallel with the application, or after it.
const OTHERS: [&str; 33] = [
    "after",
    "backup",
    "backups",
    "benchmark",
    "check",
    "clean",
    "cleanup",
    "cleaner",
    "delete",
    "demo",
    "drop",
    "dump",
    "e2e",
    "export",
    "healthcheck",
    "index",
    "post",
    "prune",
    "purge",
    "reindex",
    "report",
    "restore",
    "revert",
    "rollback",
    "sample",
    "smoke",
    "test",
    "tests",
    "uninstall",
    "validate",
    "verify",
    "warmup",
    "wipe",
];

/// Whether the name, the name of a container or a command line of a Job indicates that it prepares a database, and no name indicates another purpose.
pub(super) fn prepares_database(job: &Job) -> bool {
    let containers = pod::containers(job);
    let names = containers.iter().filter_map(|container| container.value.text_at(&["name"]));
    let names: Vec<Vec<String>> = job.name().or(job.generate_name()).into_iter().chain(names).map(words).collect();
    if names.iter().flatten().any(|word| OTHERS.contains(&word.as_str())) {
        return false;
    }
    let commands = containers.iter().filter(|container| !container.is_init);
    let commands = commands.map(|container| words(&container.words().collect::<Vec<_>>().join(" ")));
    names.iter().any(|words| say_so(words, true)) || commands.into_iter().any(|words| say_so(&words, false))
}

/// Whether the words indicate it: `migrate`, `schema`, a tool, or a verb next to `db`. In a name the verb may be anywhere.
fn say_so(words: &[String], is_name: bool) -> bool {
    let is_database = |word: &str| matches!(word, "db" | "database" | "databases");
    let is_verb = |word: &str| VERBS.contains(&word);
    // For example, `db-to-search-sync` copies the content of a database.
    let is_clear = |word: &str| is_verb(word) && !matches!(word, "install" | "push" | "sync" | "update");
    let has = |wanted: &dyn Fn(&str) -> bool| words.iter().any(|word| wanted(word));
    let is_schema = |pair: &[String]| pair[0].contains("schema") && pair[1] != "registry";
    let is_pair =
        |pair: &[String]| is_database(&pair[0]) && is_verb(&pair[1]) || is_verb(&pair[0]) && is_database(&pair[1]);
    has(&|word| word.contains("migrat") || TOOLS.contains(&word))
        || words.last().is_some_and(|word| word.contains("schema"))
        || words.windows(2).any(|pair| is_schema(pair) || is_pair(pair))
        || is_name && has(&is_database) && has(&is_clear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_jobs::kubernetes::Job;

    fn prepares(name: &str, container: &str) -> bool {
        prepares_database(&Job::read(&format!(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: {name}}}, spec: {{template: {{spec: {{containers: [{container}]}}}}}}}}"
        )).unwrap())
    }

    #[test]
    fn words_say_what_a_job_is_for() {
        for name in ["migrate", "shop-migrations", "db-init", "init-shop-db", "schema", "dbmigrate"] {
            assert!(prepares(name, "{name: main}"), "{name}");
        }
        for command in [
            "[rake, 'db:migrate']",
            "[airflow, db, upgrade]",
            "[sh, -c, 'bundle exec rails db:prepare && true']",
            "[flyway]",
        ] {
            assert!(prepares("shop", &format!("{{name: main, command: {command}}}")), "{command}");
        }
    }

    #[test]
    fn other_words_do_not() {
        for name in [
            "shop",
            "backup-db-before-migration",
            "post-migrate",
            "seed",
            "db",
            "init",
            "schema-registry-config",
            "db-to-search-sync",
        ] {
            assert!(!prepares(name, "{name: main}"), "{name}");
        }
        assert!(!prepares("shop", "{name: main, command: [sh, -c, 'create user; connect db']}"));
    }
}
