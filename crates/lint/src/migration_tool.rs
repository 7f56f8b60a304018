//! Recognizes the tool that changes a database in a Job, by its command line or its image.

use kube_jobs::kubernetes::{Job, pod};

use super::workloads::last_part;

/// A tool that changes a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tool {
    /// The name by which people know it.
    pub(super) name: &'static str,
    /// The last part of a command's path. Also a part of the name of an image, if `is_in_images`.
    programs: &'static [&'static str],
    /// Whether an image with the name of the program is one that runs it.
    is_in_images: bool,
    /// The subcommands and arguments with which the program changes the database.
    verbs: &'static [&'static str],
    /// What a killed run leaves in the database that stops every later run. None if the database or the tool cleans up.
    pub(super) leaves: Option<&'static str>,
}

/// The tools. What they leave is from their sources: `StandardLockService` of Liquibase, `SetVersion` of golang-migrate, error P3009 of Prisma,
/// `knex_migrations_lock` of Knex.
const TOOLS: [Tool; 10] = [
    Tool {
        name: "liquibase",
        programs: &["liquibase"],
        is_in_images: true,
        verbs: &["update", "update-count", "update-to-tag", "rollback", "rollback-count"],
        leaves: Some("its lock stays in `DATABASECHANGELOGLOCK`, and every later run waits for it"),
    },
    Tool {
        name: "migrate",
        programs: &["migrate"],
        is_in_images: false,
        verbs: &["up", "down", "goto"],
        leaves: Some("the version stays dirty in `schema_migrations`, and every later run refuses it"),
    },
    Tool {
        name: "prisma",
        programs: &["prisma"],
        is_in_images: false,
        verbs: &["deploy"],
        leaves: Some("the migration stays unfinished in `_prisma_migrations`, and every later run refuses it (P3009)"),
    },
    Tool {
        name: "knex",
        programs: &["knex"],
        is_in_images: false,
        verbs: &["migrate:latest", "migrate:up", "migrate:rollback"],
        leaves: Some("its lock stays in `knex_migrations_lock`, and every later run refuses to start"),
    },
    Tool { name: "flyway", programs: &["flyway"], is_in_images: true, verbs: &["migrate"], leaves: None },
    Tool {
        name: "alembic",
        programs: &["alembic"],
        is_in_images: false,
        verbs: &["upgrade", "downgrade"],
        leaves: None,
    },
    Tool {
        name: "django",
        programs: &["manage.py", "django-admin"],
        is_in_images: false,
        verbs: &["migrate"],
        leaves: None,
    },
    Tool {
        name: "rails",
        programs: &["rails", "rake"],
        is_in_images: false,
        verbs: &["db:migrate", "db:prepare", "db:setup", "db:rollback"],
        leaves: None,
    },
    Tool {
        name: "goose",
        programs: &["goose"],
        is_in_images: true,
        verbs: &["up", "up-to", "up-by-one", "down"],
        leaves: None,
    },
    Tool { name: "atlas", programs: &["atlas"], is_in_images: false, verbs: &["apply"], leaves: None },
];

/// The tool that a container of the Job runs, not counting init containers.
pub(super) fn of(job: &Job) -> Option<Tool> {
    pod::containers(job).iter().filter(|container| !container.is_init).find_map(|container| {
        let lines: Vec<&str> = container.words().collect();
        let image = container.value.text_at(&["image"]).unwrap_or("");
        TOOLS.into_iter().find(|tool| tool.runs(image, &words(&lines)))
    })
}

impl Tool {
    fn runs(&self, image: &str, words: &[&str]) -> bool {
        let is_verb = |word: &&str| self.verbs.contains(word);
        let is_program = |word: &str| self.programs.contains(&word.rsplit('/').next().unwrap_or(word));
        let is_golang_migrate = || image.starts_with("migrate/") || words.iter().any(|word| is_url_flag(word));
        let runs = |at: usize| {
            // The words of the next command do not count.
            let mut rest = words[at + 1..].iter().take_while(|word| **word != END);
            rest.any(is_verb) && (self.name != "migrate" || is_golang_migrate())
        };
        let mut programs = (0..words.len()).filter(|at| is_program(words[*at])).peekable();
        if programs.peek().is_some() {
            return programs.any(runs);
        }
        let is_image = self.is_in_images && self.programs.iter().any(|name| last_part(image).contains(name))
            || self.name == "atlas" && image.starts_with("arigaio/atlas")
            || self.name == "migrate" && image.starts_with("migrate/migrate");
        is_image && (words.iter().any(is_verb) || words.is_empty() && self.is_in_images)
    }
}

/// Whether a word is one of golang-migrate's flags. Other programs are called `migrate`, too.
fn is_url_flag(word: &str) -> bool {
    ["-path", "-source", "-database", "--path", "--source", "--database"].iter().any(|flag| word.starts_with(flag))
}

/// The end of a command in a line for a shell.
const END: &str = ";";

/// The words of command lines and scripts. The end of a command is a word of its own.
fn words<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let mut words = Vec::new();
    for line in lines {
        for command in line.split([';', '|', '&', '\n']) {
            words.extend(
                command
                    .split(|found: char| found.is_whitespace() || "'\"()`".contains(found))
                    .filter(|word| !word.is_empty()),
            );
            words.push(END);
        }
        // Each item of `command` and `args` is one word, and the next one goes on.
        words.pop();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_jobs::kubernetes::Job;

    fn tool(container: &str) -> Option<&'static str> {
        let job = Job::read(&format!(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: a}}, spec: {{template: {{spec: {{containers: [{{{container}}}]}}}}}}}}"
        )).unwrap();
        of(&job).map(|tool| tool.name)
    }

    #[test]
    fn tools_are_known_by_what_they_do() {
        for (container, name) in [
            ("image: 'liquibase/liquibase:4', args: [--url=jdbc, update]", "liquibase"),
            ("image: registry.example/shop-liquibase:1", "liquibase"),
            ("image: a, command: [sh, -c, 'cd /app && ./bin/liquibase --x update; echo done']", "liquibase"),
            ("image: 'migrate/migrate:4', args: [-path, /m, -database, $(URL), up]", "migrate"),
            ("image: a, command: [/migrate, -database, b, up]", "migrate"),
            ("image: a, command: [npx, prisma, migrate, deploy]", "prisma"),
            ("image: a, command: [sh, -c, 'echo prisma; npx prisma migrate deploy && npx prisma db seed']", "prisma"),
            ("image: 'migrate/migrate:4', command: [/migrate], args: ['-path=/m', '-database=$(URL)', up]", "migrate"),
            ("image: a, command: [poetry, run, alembic, upgrade, head]", "alembic"),
            ("image: a, command: [python, 'manage.py migrate']", "django"),
            ("image: 'flyway/flyway:10', args: ['-url=$(URL)', clean, migrate]", "flyway"),
            ("image: a, command: [npx, knex, 'migrate:latest']", "knex"),
            ("image: 'flyway/flyway:10', args: [migrate]", "flyway"),
            ("image: a, command: [alembic, upgrade, head]", "alembic"),
            ("image: a, command: [sh, -c, \"python manage.py migrate --noinput\"]", "django"),
            ("image: a, args: [bundle, exec, rake, 'db:migrate']", "rails"),
            ("image: a, command: [bin/rails], args: ['db:prepare']", "rails"),
            ("image: a, command: [goose, -dir, m, postgres, $URL, up]", "goose"),
            ("image: 'arigaio/atlas:1', args: [migrate, apply]", "atlas"),
        ] {
            assert_eq!(tool(container), Some(name), "{container}");
        }
    }

    #[test]
    fn other_commands_are_not_migrations() {
        for container in [
            "image: 'liquibase/liquibase:4', args: [release-locks]",
            "image: 'liquibase/liquibase:4', args: [status]",
            "image: 'flyway/flyway:10', args: [info]",
            "image: a, command: [alembic, current]",
            "image: a, command: [sh, -c, 'alembic current; apt upgrade']",
            "image: a, command: [python, manage.py, collectstatic]",
            "image: a, command: [rake, 'publishing_api:consumer']",
            "image: a, command: [shop, migrate, up]",
            "image: a, command: [migrate, up]",
            "image: a, command: [prisma, generate]",
            "image: 'registry.example/atlas:1', args: [apply]",
            "image: a, args: [migrate]",
        ] {
            assert_eq!(tool(container), None, "{container}");
        }
    }
}
