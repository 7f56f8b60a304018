//! A rendering: its private directory, its deadline, and the environment and limits of the processes that it starts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use checkout::Tools;
use confined::{
    Confinement, Deadline, Ended, Failure, Network as Sockets, PrivateDir, Program, Right, Rules, Share, Slot, Wall,
    go_memory_limit, run_confined, wall,
};
use kube_jobs::argocd::Application;
use rewrite::manifest::LeftOut;
use rewrite::settings::{ApplicationSettings, Network, PlatformSettings};
use system::{PathText, canonical};

use crate::tool::cause::Cause;
use crate::tool::error::RenderError;
use crate::tool::needed::{References, needed};
use crate::tool::work_tree::WorkTree;
use crate::tool::{Caller, Rendering, Target, walls};

pub(crate) struct Session<'s> {
    /// The source directory, which moves to a copy when one is made.
    pub(crate) tree: WorkTree,
    /// Argo CD's information about the Application.
    pub(crate) application: &'s Application,
    /// What the platform owner allows.
    pub(crate) platform: &'s PlatformSettings,
    /// Whether the tools may use the network.
    pub(crate) network: Network,
    /// Absolute paths of the platform owner's files that the tools read.
    pub(crate) used: Vec<PathBuf>,
    /// What was left out, because it is not there.
    pub(crate) stubs: Vec<LeftOut>,
    tools: &'s Tools,
    rendering: &'s Rendering,
    confinement: Confinement,
    /// The private directory. It is outside of the repository, so that a chart cannot read it.
    private: PrivateDir,
    /// The place among the renderings that may run at once.
    _slot: Option<Slot>,
}

/// A process to start.
pub(crate) struct Call<'c> {
    /// The name in messages, such as `helm template`.
    pub(crate) name: &'static str,
    pub(crate) program: &'c Path,
    pub(crate) arguments: Vec<OsString>,
    /// Variables in addition to those of `Session::environment`.
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) dir: &'c Path,
}

impl<'s> Session<'s> {
    /// Opens a session for the directory of a tree; it must be finished before the deadline.
    pub(crate) fn open(
        target: &Target<'s>,
        mut tree: WorkTree,
        deadline: Deadline,
        settings: &'s ApplicationSettings,
    ) -> Result<Self, RenderError> {
        let Target { tools, launcher, rendering, .. } = *target;
        let platform = &settings.platform;
        let network = if rendering.offline { Network::Never } else { platform.network.unwrap_or(rendering.network) };
        let temporary = temporary(&rendering.temporary, &tree.root)?;
        let (memory, slot) = slot(&temporary, platform.memory, deadline)?;
        let private = PrivateDir::new(launcher, &temporary).map_err(RenderError::PrivateDirectory)?;
        tree.look(&rendering.opened, deadline)?;
        let confinement = Confinement {
            launcher: launcher.to_owned(),
            memory: Some(memory),
            network: match network {
                Network::Allow => Sockets::Allowed,
                Network::Never => Sockets::Denied,
            },
            wall: None,
            deadline,
        };
        Ok(Self {
            tree,
            application: &rendering.application,
            platform,
            network,
            used: Vec::new(),
            stubs: Vec::new(),
            tools,
            rendering,
            confinement,
            private,
            _slot: slot,
        })
    }

    /// The deadline of the whole rendering: for the tools, and for reading files for them.
    pub(crate) fn deadline(&self) -> Deadline {
        self.confinement.deadline
    }

    /// Whether what is not there may be left out.
    pub(crate) fn may_stub(&self) -> bool {
        self.rendering.stubs
    }

    /// Starts the time of another rendering.
    pub(crate) fn begin_again(&mut self) {
        self.confinement.deadline = Deadline::after(self.platform.time);
    }

    /// The path of the private directory. Waits until it exists.
    fn private(&self) -> Result<&Path, RenderError> {
        self.private.path().map_err(RenderError::PrivateDirectory)
    }

    /// A folder in the private directory; created if it does not exist.
    pub(crate) fn private_folder(&self, name: &str) -> Result<PathBuf, RenderError> {
        let path = self.private()?.join(name);
        let made = system::own_folder().recursive(true).create(&path);
        made.map_err(RenderError::PrivateDirectory)?;
        Ok(path)
    }

    /// Writes a file into the private directory, and returns its path.
    pub(crate) fn private_file(&self, name: &str, content: &[u8]) -> Result<PathBuf, RenderError> {
        let path = self.private()?.join(name);
        fs::write(&path, content).map_err(RenderError::PrivateDirectory)?;
        Ok(path)
    }

    /// Copies the repository, unless the tools may write into the repository itself. From then on they work in the
    /// copy. With `start`, only the parts reachable from these paths are copied (`needed.rs`), into the private
    /// directory; otherwise a copy of all is used that other renderings use before and after (`copies.rs`).
    pub(crate) fn make_writable(
        &mut self,
        start: Option<Vec<PathBuf>>,
        references: References<'_>,
    ) -> Result<(), RenderError> {
        if self.tree.is_writable() {
            return Ok(());
        }
        let deadline = self.deadline();
        let parts = match start {
            Some(start) => needed(&self.tree.root, start, references, deadline)?,
            None => None,
        };
        if let Some(parts) = parts.filter(|parts| *parts != [self.tree.root.clone()]) {
            let to = self.private()?.join("repository");
            return self.tree.move_parts(&to, &parts, deadline);
        }
        let temporary = temporary(&self.rendering.temporary, &self.tree.root)?;
        let lease = self.rendering.copies.take(&self.tree.root, (self.launcher(), &temporary), deadline)?;
        self.tree.move_into(lease);
        Ok(())
    }

    /// The absolute path of a program on the caller's `PATH`, outside of the repository.
    pub(crate) fn find(&self, program: &'static str) -> Result<PathBuf, RenderError> {
        self.optional(program).ok_or(RenderError::NoProgram { program, caller: self.caller() })
    }

    /// Like `find`, but `None` when the program is missing.
    pub(crate) fn optional(&self, program: &str) -> Option<PathBuf> {
        self.tools.find(program, &self.tree.original)
    }

    /// Who runs this program.
    pub(crate) fn caller(&self) -> Caller {
        self.rendering.caller.clone()
    }

    /// The `ref` names of other sources of the Application, and the roots of their repositories when these are
    /// others.
    pub(crate) fn references(&self) -> &'s BTreeMap<String, Option<PathBuf>> {
        &self.rendering.references
    }

    /// The path of this program, which launches the tools.
    pub(crate) fn launcher(&self) -> &Path {
        &self.confinement.launcher
    }

    /// The variables of every process; others come only from its [`Call`]. They set homes in the private directory,
    /// the proxy and the certificates. The tools create the homes that they write to; homes that they only read are
    /// created here.
    fn environment(&self) -> Result<Vec<(OsString, OsString)>, RenderError> {
        for name in ["home", "none", "tmp"] {
            self.private_folder(name)?;
        }
        let home = |name: &str| self.private.name().join(name).into_os_string();
        let own = [
            ("HOME", "home"),
            ("TMPDIR", "tmp"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("HELM_CACHE_HOME", "cache"),
            ("HELM_CONFIG_HOME", "config"),
            ("HELM_DATA_HOME", "data"),
            ("HELM_PLUGINS", "none"),
            ("KUSTOMIZE_PLUGIN_HOME", "none"),
        ];
        let mut all: Vec<(OsString, OsString)> = own.map(|(name, folder)| (name.into(), home(folder))).into();
        all.push(("HELM_NO_PLUGINS".into(), "1".into()));
        all.push(go_memory_limit(self.memory()));
        all.extend(self.passed_on(&Rendering::FOR_ALL));
        Ok(all)
    }

    /// Those of the named variables that the caller's environment has.
    pub(crate) fn passed_on(&self, names: &[&str]) -> impl Iterator<Item = (OsString, OsString)> {
        let of_the_caller = names.iter().filter_map(|name| self.rendering.passed_on.get_key_value(*name));
        of_the_caller.map(|(name, value)| (name.into(), value.clone()))
    }

    /// `PATH` without folders in the repository.
    pub(crate) fn path(&self) -> OsString {
        self.tools.path_for(&self.tree.original)
    }

    /// Runs a process to its end, whatever its exit status is.
    pub(crate) fn run(&self, call: Call<'_>) -> Result<Ended, RenderError> {
        // A later value replaces an earlier one, as in Go.
        let mut environment = self.environment()?;
        for (name, value) in call.environment {
            environment.retain(|(known, _)| *known != name);
            environment.push((name, value));
        }
        let wall = (wall() == Wall::Kernel).then(|| self.rules(call.program, &environment));
        let program =
            Program { path: call.program.to_owned(), arguments: call.arguments, environment, dir: call.dir.to_owned() };
        run_confined(&program, &Confinement { wall, ..self.confinement.clone() }).map_err(|failure| match failure {
            Failure::Io(error) => RenderError::NotStarted { command: call.name, error },
            Failure::TooLong => RenderError::TooLong { command: call.name, limit: self.platform.time },
            Failure::TooMuch => RenderError::TooMuch { command: call.name },
            Failure::TooMuchMemory => RenderError::OutOfMemory { command: call.name, limit: self.memory() },
        })
    }

    /// The memory limit for all processes of a call together, in bytes.
    fn memory(&self) -> u64 {
        self.confinement.memory.unwrap_or(self.platform.memory)
    }

    /// The files that a process may open: the repository without `.git`, the private directory, the program itself
    /// and the programs it can start, and files that its environment names.
    fn rules(&self, program: &Path, environment: &[(OsString, OsString)]) -> Rules {
        let of_variables = walls::named(environment).filter(|path| !path.starts_with(self.private.name()));
        let used =
            of_variables.chain([program.to_owned(), self.launcher().to_owned()]).chain(self.used.iter().cloned());
        let used = used.map(|path| (Right::Use, path));
        let private = (Right::Write, self.private.name().to_owned());
        Rules::new(self.tree.rules().chain([private]).chain(used).collect())
    }

    /// The output of a process; fails when the process fails.
    pub(crate) fn output(&self, call: Call<'_>) -> Result<Vec<u8>, RenderError> {
        let name = call.name;
        let ended = self.run(call)?;
        if ended.is_success() { Ok(ended.stdout) } else { Err(self.failed(name, &ended)) }
    }

    /// The error for a process that failed.
    pub(crate) fn failed(&self, command: &'static str, ended: &Ended) -> RenderError {
        if ended.ran_out_of_memory() {
            return RenderError::OutOfMemory { command, limit: self.memory() };
        }
        let said = error_text(&String::from_utf8_lossy(&ended.stderr));
        let open = self.tree.rules().map(|(_, open)| open).collect::<Vec<_>>();
        let roots = [&*self.tree.root, &self.tree.read_root];
        if let Some(path) = walls::closed(&said, roots, &open, self.private.name()) {
            return RenderError::Closed { command, path, is_alone: self.tree.is_without_repository() };
        }
        let (said, is_cut_out) = (self.without_paths(&said), self.tree.is_cut_out());
        let cause = Cause::of(&said, self.network == Network::Never, is_cut_out);
        RenderError::Failed { command, said, status: ended.status, cause, is_cut_out }
    }

    /// The text of a tool with paths relative to the repository, and without the private directory.
    fn without_paths(&self, text: &str) -> String {
        let within = |path: &Path| format!("{}/", path.shown());
        let roots = [&self.tree.root, &self.tree.read_root].into_iter().filter(|root| root.parent().is_some());
        let text = roots.fold(text.to_owned(), |text, root| {
            text.replace(&within(root), "").replace(&root.shown().to_string(), ".")
        });
        let private = within(self.private.name());
        without_random_names(&text, &format!("{private}tmp/")).replace(&private, "")
    }
}

/// The directory for private directories: the caller's directory for temporary files, which must not be in the
/// repository.
pub fn temporary(wanted: &Path, root: &Path) -> Result<PathBuf, RenderError> {
    let real = canonical(wanted).map_err(RenderError::PrivateDirectory)?;
    if real.starts_with(root) {
        return Err(RenderError::TemporaryInRepository(real));
    }
    Ok(real)
}

/// Waits until there is memory for another rendering. Returns its memory limit in bytes, and its place; no place if
/// the container has no memory limit.
fn slot(temporary: &Path, wanted: u64, deadline: Deadline) -> Result<(u64, Option<Slot>), RenderError> {
    let Some(share) = Share::of_container(wanted) else { return Ok((wanted, None)) };
    match Slot::take(temporary, share.count, deadline).map_err(RenderError::PrivateDirectory)? {
        Some(slot) => Ok((share.each, Some(slot))),
        None => Err(RenderError::NoPlace { count: share.count, each: share.each, container: share.container }),
    }
}

/// The maximum number of characters of a tool's message that are shown.
const MOST: usize = 4096;

/// The error message of a tool: the part of its standard error from `Error:` on, without its usage.
fn error_text(stderr: &str) -> String {
    let logged = logged(stderr);
    let stderr = logged.as_deref().unwrap_or(stderr);
    // kubectl writes `error:` with a small letter.
    let from = match stderr.strip_prefix("Error: ").or_else(|| stderr.strip_prefix("error: ")) {
        Some(rest) => rest,
        None => stderr.split_once("\nError: ").map_or(stderr, |(_, rest)| rest),
    };
    // A crashing Go program prints the state of all goroutines at the end. Users cannot pass helm the flag that it
    // recommends.
    let ends = ["\nUsage:", "\nruntime: sp=", "\ngoroutine ", "\n\nUse --debug flag"];
    let text = ends.iter().fold(from, |text, end| text.split(end).next().unwrap_or(text)).trim();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text without the random digits that Go puts at the end of the name of each file in this directory for temporary
/// files: two runs would differ in them.
fn without_random_names(text: &str, temporary: &str) -> String {
    let mut parts = text.split(temporary);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        all.extend([temporary, name.trim_end_matches(|c: char| c.is_ascii_digit()), rest]);
    }
    all
}

/// The error in a line of kubectl's log (`ErrS` in `k8s.io/klog`): `E1122 … "command failed" err="…"`, or several
/// lines between `<` and `>`.
fn logged(stderr: &str) -> Option<String> {
    let (_, error) = stderr.split_once("] \"command failed\" err=")?;
    if let Some(lines) = error.strip_prefix("<\n") {
        let lines = lines.split("\n >").next().unwrap_or(lines).lines();
        return Some(lines.map(|line| line.strip_prefix('\t').unwrap_or(line)).collect::<Vec<_>>().join("\n"));
    }
    let quoted = error.trim_end().strip_prefix('"')?.strip_suffix('"')?;
    Some(quoted.replace("\\\"", "\"").replace("\\\\", "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wrong_is_shown_of_a_tools_words() {
        let helm4 = "level=ERROR msg=\"x\"\nError: no such chart\n";
        assert_eq!(error_text(helm4), "no such chart");
        let kubectl = "E1122 16:27:11.872971    3694 run.go:72] \"command failed\" err=";
        assert_eq!(error_text(&format!("{kubectl}\"unknown field \\\"x\\\"\"\n")), "unknown field \"x\"");
        assert_eq!(error_text(&format!("{kubectl}<\n\ta\n\t: exit status 128\n >\n")), "a\n: exit status 128");
        assert_eq!(error_text("error: no such file\n"), "no such file");
        assert_eq!(error_text("Error: label team\nUsage:\n  kustomize edit\n"), "label team");
        assert_eq!(error_text("panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:1\n"), "panic: x");
        let overflow = "runtime: goroutine stack exceeds 1000000000-byte limit\nruntime: sp=0x1 stack=[0x0, 0x1]\nfatal error: stack overflow\n";
        assert_eq!(error_text(overflow), "runtime: goroutine stack exceeds 1000000000-byte limit");
        assert_eq!(error_text(&"x".repeat(5000)).chars().count(), MOST + 1);
    }

    #[test]
    fn a_random_name_is_not_shown() {
        let said =
            "with env=[HELM_CONFIG_HOME=/p/tmp/kustomize-helm-1042921392/helm] in '/p/tmp/kustomize-37', /p/tmp/";
        let shown = "with env=[HELM_CONFIG_HOME=/p/tmp/kustomize-helm-/helm] in '/p/tmp/kustomize-', /p/tmp/";
        assert_eq!(without_random_names(said, "/p/tmp/"), shown);
        assert_eq!(without_random_names("exit status 128", "/p/tmp/"), "exit status 128");
    }
}
