//! Landlock restricts which files this process, and all processes that it starts, can open.
//!
//! A rule allows a path and everything below it. A file without a rule cannot be opened, listed, changed or executed.
//! A process can still see whether the file exists, its size and times, and where a symlink leads (`stat`,
//! `readlink`), and can connect to a Unix socket that has a path.

use std::error::Error;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope, make_bitflags,
};
use system::canonical;

use crate::rules::{Right, Rules};

/// Programs, their libraries, and system files that they read: the standard folders of Linux without those for
/// sources and settings (`/usr/src`, `/usr/local/etc`); those of Nix, Guix and Homebrew; the list of libraries for
/// the loader (glibc, musl), the time zone, random numbers.
const SYSTEM: [&str; 27] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/share",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/local/libexec",
    "/usr/local/share",
    "/nix/store",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/etc/ld.so.cache",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
    "/etc/localtime",
    "/dev/random",
    "/dev/urandom",
];

/// The files that a network connection needs: names of hosts, services and users (ssh needs its own user),
/// certificates, and settings of TLS and ssh. The paths of certificates are those that Go reads
/// (`crypto/x509/root_linux.go`). `/etc/ssl/private` and `/etc/ssh` as a whole are not in the list, because they hold
/// keys.
const NETWORK: [&str; 24] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/passwd",
    "/etc/group",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/tls/openssl.cnf",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/gnutls",
    "/etc/ssh/ssh_config",
    "/etc/ssh/ssh_config.d",
    "/etc/ssh/ssh_known_hosts",
];

/// Whether the kernel supports Landlock, in any version.
pub(super) fn is_there() -> bool {
    handled(ABI::V1).and_then(Ruleset::create).is_ok()
}

/// A set of rules about files. Fails when the kernel does not support the rights of version 1; newer rights are used
/// where the kernel supports them.
fn handled(version: ABI) -> Result<Ruleset, landlock::RulesetError> {
    let first = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let newer = first.handle_access(AccessFs::from_all(ABI::V1))?.set_compatibility(CompatLevel::BestEffort);
    newer.handle_access(AccessFs::from_all(version))
}

/// Gives up access to all files without a rule; fails when the kernel cannot enforce that.
pub(super) fn restrict(rules: &Rules, has_network: bool) -> io::Result<()> {
    try_restrict(rules, has_network)
        .map_err(|error| io::Error::other(format!("access to files outside the repository cannot be blocked: {error}")))
}

fn try_restrict(rules: &Rules, has_network: bool) -> Result<(), Box<dyn Error>> {
    let version = ABI::from(i32::from(rules.version));
    let mut ruleset = handled(version)?;
    // The tool cannot listen on a port, and without the network it cannot connect to one. It cannot send signals or
    // messages (abstract sockets) to processes outside.
    let ports = if has_network { AccessNet::BindTcp.into() } else { AccessNet::from_all(ABI::V4) };
    let ports = AccessNet::from_all(version) & ports;
    if !ports.is_empty() {
        ruleset = ruleset.handle_access(ports)?;
    }
    let scope = Scope::from_all(version);
    if !scope.is_empty() {
        ruleset = ruleset.scope(scope)?;
    }
    let mut created = ruleset.create()?;
    let read = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let started = read | AccessFs::Execute;
    let changed =
        make_bitflags!(AccessFs::{WriteFile | Truncate | RemoveDir | RemoveFile | MakeDir | MakeReg | MakeSym | Refer});
    let changed = AccessFs::from_all(version) & (read | changed);
    let null = AccessFs::from_file(version) & !BitFlags::from(AccessFs::Execute);
    created = add(created, PathFd::new("/dev/null").ok(), null)?;
    for path in SYSTEM.iter().chain(NETWORK.iter().filter(|_| has_network)).map(Path::new) {
        // Leave out a system folder that contains the repository or the private directory: the tool could open
        // everything in it.
        let real = canonical(path).unwrap_or_default();
        if !rules.paths.iter().any(|(right, own)| *right != Right::Use && own.starts_with(&real)) {
            created = add(created, PathFd::new(path).ok(), started)?;
        }
    }
    for (right, path) in &rules.paths {
        created = match right {
            Right::Read => add(created, not_followed(path), read)?,
            Right::Write => add(created, not_followed(path), changed)?,
            Right::Use => add(created, PathFd::new(path).ok(), started)?,
        };
    }
    match created.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Err("the kernel has no Landlock".into()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

/// Adds a rule for an opened path; adds nothing for `None`, which means that the path does not exist.
fn add(
    ruleset: RulesetCreated,
    opened: Option<impl std::os::fd::AsFd>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    match opened {
        Some(opened) => ruleset.add_rule(PathBeneath::new(opened, access)),
        None => Ok(ruleset),
    }
}

/// Opens a path for a rule; `None` for a symlink, and when the path cannot be opened.
fn not_followed(path: &Path) -> Option<File> {
    let opened = File::options().read(true).custom_flags(libc::O_PATH | libc::O_NOFOLLOW).open(path).ok()?;
    opened.metadata().is_ok_and(|found| !found.is_symlink()).then_some(opened)
}

/// The rules as bytes: for each path the letter of its right, the path, and a zero byte.
pub(super) fn encode(paths: &[(Right, PathBuf)]) -> Vec<u8> {
    let rule = |(right, path): &(Right, PathBuf)| [&[letter(*right)], path.as_os_str().as_bytes(), &[0]].concat();
    paths.iter().flat_map(rule).collect()
}

/// Reads the rules from the bytes of `encode`; `None` when they have another format.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<(Right, PathBuf)>> {
    let rules = bytes.strip_suffix(&[0]).unwrap_or(bytes).split(|byte| *byte == 0).filter(|rule| !rule.is_empty());
    let rule = |rule: &[u8]| {
        let right = [Right::Read, Right::Write, Right::Use].into_iter().find(|right| letter(*right) == rule[0])?;
        Some((right, PathBuf::from(OsStr::from_bytes(&rule[1..]))))
    };
    rules.map(rule).collect()
}

fn letter(right: Right) -> u8 {
    match right {
        Right::Read => b'r',
        Right::Write => b'w',
        Right::Use => b'u',
    }
}
