//! Runs `action.yml` as GitHub does and `ci/gitlab.yml` as GitLab does, and checks what `docs/ci.md` promises:
//! comments, exit statuses, hostile names.

mod checkout;
mod comments;
mod examples;
mod expression;
mod files;
mod gitlab;
mod hostile;
mod install;
mod notes;
mod runner;
mod server;
mod verdict;
