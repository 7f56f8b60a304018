//! A file that is replaced after the directory was listed is not read.

use super::super::directory;
use super::super::disk::Disk;
use super::*;

/// Lists a directory with `a.yaml`, `sub/b.yaml` and the symlink `c.yaml`, calls `change`, and then reads the listed
/// files.
pub(super) fn read_after(change: impl FnOnce(&Path)) -> Result<Vec<String>, String> {
    let scratch = Scratch::with(&["in/a.yaml", "in/sub/b.yaml", "in/target/d", "in/other/b.yaml", "secret.yaml"])
        .link("in/c.yaml", "target/d");
    let dir = scratch.0.join("in");
    let mut disk = Disk::new(DirectoryName::new(dir.clone(), Some(Path::new(""))), &Surroundings::default());
    let entries: Vec<_> = disk.list(Recurse::Yes).unwrap();
    let entries = entries.into_iter().filter(|entry| !entry.path.starts_with("other")).collect();
    change(&dir);
    let selection = Selection { include: None, exclude: None, without_kustomizations: false };
    let read = directory::read(&mut disk, entries, &selection).map_err(|error| error.to_string())?;
    Ok(read.into_iter().map(|manifest| manifest.text).collect())
}

fn replace(path: PathBuf, target: &str) {
    if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.unwrap();
    symlink(target, path).unwrap();
}

#[test]
fn a_symlink_that_takes_the_place_of_a_file_is_not_followed() {
    assert_eq!(read_after(|_| ()).unwrap(), ["in/a.yaml", "in/target/d", "in/sub/b.yaml"]);
    let told = |path: &str| Err(format!("{path}: cannot be read: it is no longer a regular file"));
    assert_eq!(read_after(|dir| replace(dir.join("a.yaml"), "../secret.yaml")), told("a.yaml"));
    assert_eq!(read_after(|dir| replace(dir.join("a.yaml"), "sub/b.yaml")), told("a.yaml"));
    assert_eq!(read_after(|dir| replace(dir.join("sub"), "other")), told("sub/b.yaml"));
}

#[test]
fn what_is_read_ahead_is_what_would_be_read() {
    let names: Vec<String> = (0..300).map(|number| format!("{}/{number:03}.yaml", number / 70)).collect();
    let scratch = Scratch::with(&names.iter().map(String::as_str).collect::<Vec<_>>()).link("1/200.yaml", "070.yaml");
    let request = || Request { recurse: Recurse::Yes, ..scratch.request() };
    let texts: Vec<String> = read(request()).unwrap().into_iter().map(|manifest| manifest.text).collect();
    let mut wanted = names.clone();
    wanted.insert(140, "1/070.yaml".to_owned());
    assert_eq!(texts, wanted);
    fs::remove_file(scratch.0.join("2/140.yaml")).unwrap();
    fs::write(scratch.0.join("2/140.yaml"), [b'#', 0xff]).unwrap();
    fs::write(scratch.0.join("4/299.yaml"), b"kind: \xff").unwrap();
    assert!(scratch.error(request()).starts_with("4/299.yaml:1:7"), "{}", scratch.error(request()));
}
