//! What a tool can open behind the wall, with each version of Landlock.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;
use std::{fs, io};

use confined::{Confinement, Network, Right, Rules, Wall, run_confined, wall};

use super::{Tool, free, os, print};
use crate::support::{landlock, switches};

/// A tool that runs its argument as a script for `/bin/sh`, and the rules for files that it may open.
struct Walled {
    tool: Tool,
    rules: Rules,
}

impl Walled {
    /// The tool in a folder with a repository, a private directory and a file outside; `None` on a kernel without
    /// Landlock.
    fn new() -> Option<Self> {
        if wall() != Wall::Kernel {
            switches::not_run("a test of the wall: this kernel has no Landlock");
            return None;
        }
        let tool = Tool::new("eval \"$1\"");
        for file in ["repository/.git/config", "repository/app/a", "private/b", "outside/c", "private/program"] {
            tool.scratch.write(file, "#!/bin/sh\necho seen\n");
        }
        let dir = fs::canonicalize(tool.scratch.source()).unwrap();
        std::os::unix::fs::symlink(dir.join("outside"), dir.join("repository/link")).unwrap();
        std::os::unix::fs::symlink(dir.join("repository/app/a"), dir.join("repository/app/inside")).unwrap();
        std::os::unix::fs::symlink(dir.join("outside/c"), dir.join("repository/app/out")).unwrap();
        let rules = Rules::new(vec![
            (Right::Read, dir.join("repository/app")),
            (Right::Read, dir.join("repository/link")),
            (Right::Write, dir.join("private")),
            (Right::Use, tool.path.clone()),
        ]);
        Some(Self { tool, rules })
    }

    fn confinement(&self, version: u8, network: Network) -> Confinement {
        Confinement { wall: Some(Rules { version, ..self.rules.clone() }), network, ..free() }
    }

    /// The output of a script, and whether it succeeds.
    fn run(&self, script: &str, version: u8, network: Network) -> (String, bool) {
        let mut program = self.tool.program();
        program.arguments = os(&[script]);
        let ended = run_confined(&program, &self.confinement(version, network)).unwrap();
        (String::from_utf8(ended.stdout.clone()).unwrap(), ended.is_success())
    }
}

const ALL: std::ops::RangeInclusive<u8> = 1..=Rules::NEWEST;

#[test]
fn only_what_is_on_the_list_is_opened() {
    let Some(walled) = Walled::new() else { return };
    for version in ALL {
        let works = |script: &str| walled.run(script, version, Network::Denied).1;
        for script in [
            "cat repository/app/a",
            "cat repository/app/inside",
            "ls repository/app",
            "echo x >private/new && mkdir private/d && mv private/new private/newer && rm private/newer && rmdir private/d && cat private/b",
            "ln -s ../../outside private/l && test -L private/l && rm private/l",
            "echo x >/dev/null && cat </dev/null && date && git --version",
            "test -e outside/c",
        ] {
            assert!(works(script), "{version}: {script}");
        }
        for script in [
            "cat repository/.git/config",
            "ls repository/.git",
            "ls repository",
            "cat outside/c",
            "cat repository/link/c",
            "cat repository/app/out",
            "cat repository/app/../../outside/c",
            "cat /proc/$PPID/cwd/outside/c",
            "cat /proc/$PPID/environ",
            "cat /proc/self/environ",
            "ls /proc",
            "ls /",
            "ls /tmp",
            "cat /etc/passwd",
            "cat /etc/resolv.conf",
            "head -c1 /dev/zero",
            "ls ~root",
            "echo x >repository/app/new",
            "echo x >>repository/app/a",
            "echo x >outside/new",
            "rm outside/c",
            "mv private/b outside/b",
            "ln outside/c private/hard",
            "chmod +x private/program; private/program",
        ] {
            assert!(!works(script), "{version}: {script}");
        }
        assert_eq!(walled.run("cat private/b", version, Network::Denied).0, "#!/bin/sh\necho seen\n");
    }
}

/// Before Linux 5.19, Landlock does not allow moving a file to another folder; programs then copy it, as between file
/// systems.
#[test]
fn files_are_moved_between_folders() {
    let Some(walled) = Walled::new() else { return };
    for version in ALL {
        let (_, works) = walled.run(
            "mkdir private/d && mv private/b private/d/b && cat private/d/b && mv private/d/b private/b && rmdir private/d",
            version,
            Network::Denied,
        );
        assert!(works, "{version}");
    }
}

/// The tools work even with versions of Landlock that know fewer rights.
#[test]
fn the_real_tools_do_their_work() {
    let (Some(helm), Some(kustomize)) = (switches::tool("helm"), switches::tool("kustomize")) else { return };
    let Some(mut walled) = Walled::new() else { return };
    let chart = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, namespace: x}\n";
    let dir = fs::canonicalize(walled.tool.scratch.source()).unwrap();
    for (path, text) in [
        (
            "chart/Chart.yaml",
            chart("app") + "dependencies: [{name: lib, version: 1.0.0, repository: 'file://../lib'}]\n",
        ),
        ("lib/Chart.yaml", chart("lib")),
        ("lib/templates/a.yaml", config_map.to_owned()),
        ("app/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n".to_owned()),
    ] {
        walled.tool.scratch.write(path, &text);
    }
    walled.rules.paths.extend(["chart", "lib", "app"].map(|name| (Right::Write, dir.join(name))));
    walled.rules.paths.extend([&helm, &kustomize].map(|tool| (Right::Use, tool.clone())));
    let (helm, kustomize) = (helm.display(), kustomize.display());
    for version in ALL {
        drop(fs::remove_dir_all(dir.join("chart/charts")));
        fs::write(dir.join("app/kustomization.yaml"), "resources: [a.yaml]\n").unwrap();
        let home = "export HOME=$PWD/private TMPDIR=$PWD/private";
        let script = format!(
            "{home} && cd chart && {helm} dependency build >&2 && {helm} template shop . && \
             cd ../app && {kustomize} edit set nameprefix x- && {kustomize} build ."
        );
        let (printed, works) = walled.run(&script, version, Network::Denied);
        assert!(works && printed.contains("name: shop") && printed.contains("name: x-a"), "{version}: {printed}");
    }
}

#[test]
fn what_a_connection_needs_is_open_when_there_may_be_one() {
    let Some(walled) = Walled::new() else { return };
    for version in ALL {
        assert!(walled.run("cat /etc/passwd /etc/hosts", version, Network::Allowed).1, "{version}");
        for closed in ["cat /etc/shadow", "ls /etc", "ls /etc/ssl/private", "ls /etc/ssh", "cat outside/c"] {
            assert!(!walled.run(closed, version, Network::Allowed).1, "{version}: {closed}");
        }
    }
}

#[test]
fn a_repository_in_a_folder_of_the_system_is_not_open_as_a_part_of_it() {
    let Some(mut walled) = Walled::new() else { return };
    let inside = PathBuf::from("/usr/share/repository/app");
    assert!(walled.run("ls /usr/share", Rules::NEWEST, Network::Denied).1);
    walled.rules.paths.push((Right::Read, inside));
    assert!(!walled.run("ls /usr/share", Rules::NEWEST, Network::Denied).1);
}

#[test]
fn the_tool_has_nothing_on_its_standard_input() {
    let Some(walled) = Walled::new() else { return };
    assert_eq!(walled.run("cat; readlink /proc/self/fd/0", 7, Network::Denied).0, "/dev/null\n");
}

/// The helper of the next test: tries to reach processes outside.
#[test]
fn helper_that_reaches_out() {
    let Some(name) = switches::helper("REACH") else { return };
    let connected = SocketAddr::from_abstract_name(&name).and_then(|address| UnixStream::connect_addr(&address));
    let told = connected.map_or_else(|error| error.kind().to_string(), |_| "connected".to_owned());
    print(&format!("abstract {told}"));
}

#[test]
fn processes_outside_get_neither_signals_nor_messages() {
    let Some(mut walled) = Walled::new() else { return };
    let parent = format!("kill -0 {}", std::process::id());
    let name = format!("argocd-jobs-{}", std::process::id());
    let _listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let own = std::env::current_exe().unwrap();
    walled.rules.paths.push((Right::Use, own.clone()));
    let mut program = walled.tool.program();
    program.path = own;
    program.arguments = os(&["--exact", "confined::wall::helper_that_reaches_out", "--nocapture"]);
    program.environment.push(("REACH".into(), name.into()));
    for version in ALL {
        assert_eq!(walled.run(&parent, version, Network::Denied).1, version < 6, "{version}");
        let ended = run_confined(&program, &walled.confinement(version, Network::Denied)).unwrap();
        let text = String::from_utf8(ended.stdout).unwrap();
        let wanted = if version < 6 { "abstract connected" } else { "abstract operation not permitted" };
        assert!(
            text.contains(wanted) || (version >= 6 && text.contains("abstract permission denied")),
            "{version}: {text}"
        );
    }
}

#[test]
fn a_wall_that_cannot_be_built_is_an_error() {
    let Some(walled) = Walled::new() else { return };
    let confinement = walled.confinement(Rules::NEWEST, Network::Denied);
    landlock::deny();
    let error = run_confined(&walled.tool.program(), &confinement).unwrap_err();
    let confined::Failure::Io(error) = error else { panic!("{error:?}") };
    assert!(error.to_string().starts_with("access to files outside the repository cannot be blocked: "), "{error}");
    assert_eq!(error.kind(), io::ErrorKind::Other);
}
