//! The user's settings of git have their say, but none of them lets a repository run a program.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{ALLOWED, JOB, World};
use crate::support::scratch::commit;

#[test]
fn settings_of_git_that_a_repository_could_use_do_nothing() {
    let world = World::new();
    let filter = world.scratch.write("home/.ssh/filter", "#!/bin/sh\nexec tr a-z A-Z\n");
    fs::set_permissions(&filter, fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!(
        "[safe]\n\tbareRepository = explicit\n[core]\n\tautocrlf = true\n[filter \"lfs\"]\n\tsmudge = {}\n\trequired = true\n",
        filter.display()
    );
    world.scratch.write("home/.gitconfig", config);
    world.scratch.write("served/tools/.gitattributes", "* filter=lfs\nleft-out.yaml export-ignore\n");
    world.scratch.write("served/tools/jobs/job.yaml", JOB);
    world.scratch.write("served/tools/jobs/left-out.yaml", JOB.replace("migrate", "other"));
    commit(&world.scratch.source().join("served/tools"));
    world.application("tools", &format!("repoURL: '{}', path: jobs", world.server.url("tools/.git")));
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("\"jobs\": 2"), "{text}");
    let content = fs::read_dir(world.scratch.source().join("cache/argocd-jobs/content")).unwrap();
    let [folder] = content.map(|entry| entry.unwrap().path()).collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(fs::read_to_string(folder.join("jobs/job.yaml")).unwrap(), JOB);
}

#[test]
fn the_users_own_ssh_command_is_used() {
    let world = World::new();
    // It stands for ssh, and the other host is this one: `ssh [options] host command`.
    let ssh = world.scratch.write("home/.ssh/ssh", "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n");
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    world.scratch.write("home/.gitconfig", format!("[core]\n\tsshCommand = {}\n", ssh.display()));
    let tools = world.scratch.source().join("home/.ssh/tools");
    world.scratch.write("home/.ssh/tools/jobs/job.yaml", JOB);
    commit(&tools);
    world.application("tools", &format!("repoURL: 'git@git.example.com:{}/.git', path: jobs", tools.display()));
    let (text, _) = world.preview(&ALLOWED);
    assert!(text.contains("\"checked\": 1"), "{text}");
}
