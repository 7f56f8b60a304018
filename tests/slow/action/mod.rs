//! `action.yml` as GitHub runs it, `ci/gitlab.yml` as GitLab runs it, and what `docs/ci.md` says of them: comments, exit statuses, hostile names.

mod checkout;
mod comments;
mod expression;
mod files;
mod gitlab;
mod hostile;
mod install;
mod notes;
mod runner;
mod server;
mod verdict;
