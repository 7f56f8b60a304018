//! Reads the names of the files in a packaged chart, as helm does with Go's `archive/tar` (`LoadArchiveFiles` in
//! `pkg/chart/loader/archive.go`).
//!
//! Two readers can read different names from the same header: a sparse file has its name in special records, an old
//! GNU header can have a prefix. So only headers are accepted that `helm package`, git and the usual tar programs
//! write; all others are an error.

use std::io::{self, Read};

use tar::{Entry, EntryType, Header};

/// The maximum size, in bytes, of an entry that describes the next one: Go's limit (`maxSpecialFileSize`).
const MOST: u64 = 1 << 20;

/// The allowed keys of PAX records: apart from the name, they change nothing that helm reads.
const RECORDS: [&str; 10] = ["path", "linkpath", "mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "comment"];

/// The prefixes of other allowed keys, which tar programs write.
const PROGRAMS: [&str; 2] = ["SCHILY.", "LIBARCHIVE."];

/// Finds the names of the entries of an archive. The entries must be passed raw and in order.
#[derive(Default)]
pub(super) struct Names {
    /// `Some` when the previous entry describes this one; inside, the name for this entry if the description has one.
    header: Option<Option<Vec<u8>>>,
}

impl Names {
    /// The name of an entry; `None` for an entry that describes the next one. Fails for a header that Go and other
    /// readers may read differently.
    pub(super) fn of(&mut self, entry: &mut Entry<'_, impl Read>) -> io::Result<Option<Vec<u8>>> {
        let header = entry.header();
        refuse_unless_plain(header)?;
        match header.entry_type() {
            EntryType::Regular => {}
            // Go reads no content of these, whatever size the header has.
            EntryType::Directory | EntryType::Symlink | EntryType::Link if header.entry_size()? == 0 => {}
            // git writes such an entry, with a comment. Go applies it to no file.
            EntryType::XGlobalHeader if self.header.is_none() => return Ok(None),
            EntryType::XHeader if self.header.is_none() => {
                self.header = Some(path_in(&content(entry)?)?);
                return Ok(None);
            }
            EntryType::GNULongName if self.header.is_none() => {
                let mut name = content(entry)?;
                name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
                self.header = Some(Some(name));
                return Ok(None);
            }
            _ => return Err(unusual()),
        }
        let named = self.header.take().flatten();
        Ok(Some(named.unwrap_or_else(|| header.path_bytes().into_owned())))
    }
}

fn unusual() -> io::Error {
    io::Error::other("its headers are unusual")
}

/// Fails for a header that is not in POSIX or GNU format, or uses rare fields of these formats.
fn refuse_unless_plain(header: &Header) -> io::Result<()> {
    let bytes = header.as_bytes();
    let is_posix = &bytes[257..265] == b"ustar\x0000" && &bytes[508..] != b"tar\0";
    let is_gnu = &bytes[257..265] == b"ustar  \0" && bytes[345..].iter().all(|byte| *byte == 0);
    let (size, end) = (&bytes[124..135], bytes[135]);
    let is_number = size.iter().all(|byte| matches!(byte, b'0'..=b'7')) && matches!(end, 0 | b' ');
    if (is_posix || is_gnu) && is_number { Ok(()) } else { Err(unusual()) }
}

fn content(entry: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let size = entry.take(MOST + 1).read_to_end(&mut bytes)? as u64;
    if size > MOST { Err(unusual()) } else { Ok(bytes) }
}

/// The path in PAX records, each of which is `<length> <key>=<value>` and a newline; `None` when no record has a
/// path.
fn path_in(mut rest: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let mut path = None;
    while !rest.is_empty() {
        let (record, after) = record(rest).ok_or_else(unusual)?;
        let (key, value) = record.split_once('=').ok_or_else(unusual)?;
        if !RECORDS.contains(&key) && !PROGRAMS.iter().any(|program| key.starts_with(program)) {
            return Err(unusual());
        }
        if key == "path" {
            // If the path is empty, Go uses the name in the header of the file.
            path = Some(value.as_bytes().to_vec()).filter(|path| !path.is_empty());
        }
        rest = after;
    }
    Ok(path)
}

/// The first record, without its length and newline, and the bytes after it.
fn record(text: &[u8]) -> Option<(&str, &[u8])> {
    let space = text.iter().position(|byte| *byte == b' ')?;
    let length: usize = str::from_utf8(&text[..space]).ok()?.parse().ok()?;
    let (record, after) = text.split_at_checked(length)?;
    let record = str::from_utf8(record.get(space + 1..)?.strip_suffix(b"\n")?).ok()?;
    // A reader that splits at newlines would find other records.
    (!record.contains(['\n', '\0'])).then_some((record, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with this name, type and size, followed by the content.
    fn entry(name: &str, kind: u8, size: usize, content: &[u8], change: impl FnOnce(&mut Header)) -> Vec<u8> {
        let mut header = Header::new_ustar();
        header.set_path(name).unwrap();
        header.set_size(size as u64);
        header.as_mut_bytes()[156] = kind;
        change(&mut header);
        header.set_cksum();
        let mut bytes = header.as_bytes().to_vec();
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    }

    fn records(records: &[(&str, &str)]) -> Vec<u8> {
        let one = |(key, value): &(&str, &str)| {
            let rest = format!(" {key}={value}\n");
            let digits = (1..4).find(|digits| (rest.len() + digits).to_string().len() == *digits).unwrap();
            format!("{}{rest}", rest.len() + digits)
        };
        records.iter().map(one).collect::<String>().into_bytes()
    }

    fn with(records: &[u8]) -> Vec<u8> {
        entry("PaxHeaders/x", b'x', records.len(), records, |_| {})
    }

    /// The names in an archive; `None` when a header is refused.
    fn names(entries: &[Vec<u8>]) -> Option<String> {
        let bytes = entries.concat();
        let mut archive = tar::Archive::new(&bytes[..]);
        let mut names = Names::default();
        let mut found = Vec::new();
        for entry in archive.entries().unwrap().raw(true) {
            let name = names.of(&mut entry.ok()?).ok()?;
            found.extend(name.map(|name| String::from_utf8(name).unwrap()));
        }
        Some(found.join(" "))
    }

    #[test]
    fn what_the_usual_programs_write_has_its_names() {
        let file = |name| entry(name, b'0', 2, b"{}", |_| {});
        let gnu =
            |name| entry(name, b'0', 2, b"{}", |header| header.as_mut_bytes()[257..265].copy_from_slice(b"ustar  \0"));
        let long = "a/".repeat(100) + "b";
        for (entries, expected) in [
            (vec![entry("a/", b'5', 0, b"", |_| {}), file("a/b"), entry("a/c", b'2', 0, b"", |_| {})], "a/ a/b a/c"),
            (vec![gnu("a/b")], "a/b"),
            (vec![with(&records(&[("path", "x/y"), ("mtime", "1.5"), ("LIBARCHIVE.x", "1")])), file("a/b")], "x/y"),
            (vec![with(&records(&[("comment", "x"), ("path", "")])), file("a/b"), file("c")], "a/b c"),
            (vec![entry("pax_global_header", b'g', 0, b"", |_| {}), file("a/b")], "a/b"),
            (
                vec![entry("././@LongLink", b'L', long.len() + 1, format!("{long}\0").as_bytes(), |_| {}), file("a")],
                &long,
            ),
        ] {
            assert_eq!(names(&entries).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_go_may_read_differently_is_refused() {
        let file = || entry("a", b'0', 2, b"{}", |_| {});
        let odd = |change: fn(&mut Header)| vec![entry("a", b'0', 2, b"{}", change)];
        for entries in [
            vec![with(&records(&[("GNU.sparse.major", "1"), ("GNU.sparse.name", "a/values.schema.json")])), file()],
            vec![with(&records(&[("size", "0")])), file()],
            vec![with(&records(&[("comment", "x\n30 path=a")])), file()],
            vec![with(b"9 path=a"), file()],
            vec![with(b"99 path=a\n"), file()],
            vec![with(&records(&[("path", "a")])), with(&records(&[("path", "b")])), file()],
            vec![with(&records(&[("path", "a")])), entry("././@LongLink", b'L', 2, b"b\0", |_| {}), file()],
            vec![entry("a", b'2', 512, &[b'x'; 512], |_| {})],
            vec![entry("a", b'S', 2, b"{}", |_| {})],
            vec![entry("a", b'7', 2, b"{}", |_| {})],
            odd(|header| header.as_mut_bytes()[257] = 0),
            odd(|header| header.as_mut_bytes()[508..].copy_from_slice(b"tar\0")),
            odd(|header| header.as_mut_bytes()[124..127].copy_from_slice(b"  0")),
            odd(|header| header.as_mut_bytes()[124] = 0x80),
            odd(|header| {
                header.as_mut_bytes()[257..265].copy_from_slice(b"ustar  \0");
                header.as_mut_bytes()[345..350].copy_from_slice(b"x/y/z");
            }),
        ] {
            assert_eq!(names(&entries), None);
        }
    }
}
