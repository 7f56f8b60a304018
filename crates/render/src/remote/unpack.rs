//! Writes what is in an archive, which comes from a stranger, into a folder that is empty.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use checkout::repository::is_git;
use flate2::read::GzDecoder;
use system::{PathText, own_file, symlink};
use tar::{Archive, Entry, EntryType};
use text::Message;

/// The most bytes of all files together, and of a packaged chart.
pub(super) const MAX_BYTES: u64 = 100 << 20;

/// The most files, folders and links.
const MAX_ENTRIES: usize = 50_000;

/// Whether an archive can have symlinks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Made,
    Refused,
}

/// A packaged chart, whose files are in a folder with its name. helm makes no links of it either (`pkg/chartutil/expand.go`).
pub(super) fn chart(packaged: &[u8], to: &Path) -> Result<(), Message> {
    let unpacked = unpack(GzDecoder::new(packaged), to, 1, Links::Refused);
    unpacked.map_err(|error| broken("the packaged chart", &error))?;
    if to.join("Chart.yaml").is_file() { Ok(()) } else { Err(Message::new("the packaged chart has no `Chart.yaml`")) }
}

/// The files of a repository.
pub(super) fn repository(archive: &[u8], to: &Path) -> Result<(), Message> {
    unpack(archive, to, 0, Links::Made).map_err(|error| broken("the repository", &error))
}

fn broken(what: &str, error: &io::Error) -> Message {
    Message::new(format!("{what} cannot be unpacked: {error}"))
}

/// Leaves out the first `skip` names of each path.
fn unpack(archive: impl Read, to: &Path, skip: usize, links: Links) -> io::Result<()> {
    let mut left = MAX_BYTES;
    let mut symlinks: Vec<(PathBuf, PathBuf)> = Vec::new();
    // What is in an entry is at most what is in the archive, with room for its headers.
    let bounded = archive.take(MAX_BYTES + (MAX_ENTRIES as u64) * 4096);
    for (number, entry) in Archive::new(bounded).entries()?.enumerate() {
        let mut entry = entry?;
        if number >= MAX_ENTRIES {
            return Err(io::Error::other(format!("it has more than {MAX_ENTRIES} files")));
        }
        let Some(below) = below(&entry, skip)? else { continue };
        let path = to.join(&below);
        match entry.header().entry_type() {
            EntryType::Directory => fs::create_dir_all(&path)?,
            EntryType::Regular | EntryType::Continuous => {
                left = left.checked_sub(entry.size()).ok_or_else(too_large)?;
                write(&mut entry, &path)?;
            }
            EntryType::Symlink if links == Links::Made => {
                let target = entry.link_name()?.ok_or_else(|| io::Error::other("it has a link without a target"))?;
                symlinks.push((below, target.into_owned()));
            }
            EntryType::XGlobalHeader => {}
            _ => return Err(io::Error::other(format!("`{}` is neither a file nor a folder", below.shown()))),
        }
    }
    // Last, so that no file is written through one.
    let made: BTreeSet<PathBuf> = symlinks.iter().map(|(path, _)| path.clone()).collect();
    for (below, target) in symlinks {
        if below.ancestors().skip(1).any(|above| made.contains(above)) {
            return Err(io::Error::other(format!("`{}` is below a link", below.shown())));
        }
        let path = to.join(&below);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        symlink(target, path)?;
    }
    Ok(())
}

/// The path of an entry below the folder; none for a folder above that.
fn below(entry: &Entry<'_, impl Read>, skip: usize) -> io::Result<Option<PathBuf>> {
    let path = entry.path()?;
    let names = path.components().filter(|part| *part != Component::CurDir).map(|part| match part {
        Component::Normal(name) => Ok(name.to_owned()),
        _ => Err(io::Error::other("a path leads out of it")),
    });
    let names = names.collect::<io::Result<Vec<_>>>()?;
    if names.iter().any(|name| is_git(name)) {
        return Err(io::Error::other("it has a file of git"));
    }
    let below: PathBuf = names.into_iter().skip(skip).collect();
    Ok((!below.as_os_str().is_empty()).then_some(below))
}

fn write(entry: &mut Entry<'_, impl Read>, path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let size = entry.size();
    let mut file = own_file(OpenOptions::new().write(true).create_new(true)).open(path)?;
    if io::copy(entry, &mut file)? == size { Ok(()) } else { Err(too_large()) }
}

fn too_large() -> io::Error {
    io::Error::other(format!("its files are larger than {} MiB, or it ends early", MAX_BYTES >> 20))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::*;
    use scratch::Scratch;

    /// An archive with these entries: a kind, a path as it is, and the content or the target of a link.
    fn archive(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (kind, path, text) in entries {
            let mut header = Header::new_ustar();
            header.set_entry_type(*kind);
            header.set_mode(0o777);
            let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
            header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
            if is_link {
                header.set_link_name(text).unwrap();
            }
            header.set_size(if is_link { 0 } else { text.len() as u64 });
            header.set_cksum();
            builder.append(&header, if is_link { b"" } else { text.as_bytes() }).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn packed(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&archive(entries)).unwrap();
        packed.finish().unwrap()
    }

    const FILE: EntryType = EntryType::Regular;

    #[test]
    fn a_chart_and_a_repository_are_unpacked() {
        let scratch = Scratch::with(&["chart/.keep", "repository/.keep"]);
        let entries = [(FILE, "shop/Chart.yaml", "name: shop\n"), (FILE, "shop/templates/a.yaml", "a: b\n")];
        chart(&packed(&entries), &scratch.0.join("chart")).unwrap();
        assert_eq!(fs::read_to_string(scratch.0.join("chart/templates/a.yaml")).unwrap(), "a: b\n");
        let entries = [(FILE, "a/b.yaml", "x"), (EntryType::Symlink, "c/link", "../a/b.yaml")];
        repository(&archive(&entries), &scratch.0.join("repository")).unwrap();
        assert_eq!(fs::read_to_string(scratch.0.join("repository/c/link")).unwrap(), "x");
    }

    #[test]
    fn hostile_archives_are_refused() {
        let link = EntryType::Symlink;
        for entries in [
            &[(FILE, "../x", "x")][..],
            &[(FILE, "/tmp/argocd-jobs-of-a-hostile-archive", "x")],
            &[(FILE, "a/../../x", "x")],
            &[(FILE, "a", "x"), (FILE, "a", "y")],
            &[(FILE, "a", "x"), (FILE, "a/b", "y")],
            &[(link, "a", "/tmp"), (link, "a/b", "/etc/passwd")],
            &[(link, "a/b", "/tmp"), (FILE, "a/b", "x")],
            &[(EntryType::Link, "a", "/etc/passwd")],
            &[(EntryType::Fifo, "a", "")],
            &[(EntryType::Block, "a", "")],
            &[(FILE, ".git/config", "x")],
        ] {
            let scratch = Scratch::with(&["to/.keep"]);
            repository(&archive(entries), &scratch.0.join("to")).expect_err(entries[0].1);
            assert!(
                !Path::new("/tmp/argocd-jobs-of-a-hostile-archive").exists() && !scratch.0.join("x").exists(),
                "{}",
                entries[0].1
            );
        }
        let scratch = Scratch::with(&["to/.keep"]);
        chart(&packed(&[(link, "shop/Chart.yaml", "/etc/passwd")]), &scratch.0.join("to")).unwrap_err();
        chart(&packed(&[(FILE, "shop/a", "x")]), &scratch.0.join("to")).unwrap_err();
    }

    #[test]
    fn a_bomb_is_not_written() {
        let scratch = Scratch::with(&["to/.keep"]);
        let text = "x".repeat(60 << 20);
        let refused = chart(&packed(&[(FILE, "a/b", &text), (FILE, "a/c", &text)]), &scratch.0.join("to")).unwrap_err();
        assert!(refused.text.contains("larger than 100 MiB"), "{}", refused.text);
        let many: Vec<String> = (0..=MAX_ENTRIES).map(|number| format!("a/{}", number % 7)).collect();
        let many: Vec<_> = many.iter().map(|path| (EntryType::Directory, path.as_str(), "")).collect();
        let refused = chart(&packed(&many), &scratch.0.join("to")).unwrap_err();
        assert!(refused.text.contains("more than 50000 files"), "{}", refused.text);
    }
}
