//! Names of paths (`path/path.go`).

/// The last element of a path (`path.Base`).
pub fn base(path: &str) -> &str {
    let bare = path.trim_end_matches('/');
    match bare.rsplit('/').next() {
        _ if path.is_empty() => ".",
        Some(name) if !name.is_empty() => name,
        _ => "/",
    }
}

/// A path without its last element, cleaned (`path.Dir`).
pub fn dir(path: &str) -> String {
    clean(&path[..path.rfind('/').map_or(0, |at| at + 1)])
}

/// The end of the last element of a path from its last dot on (`path.Ext`). Empty without a dot.
pub fn ext(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').map_or("", |at| &name[at..])
}

/// The shortest path that means the same (`path.Clean`).
pub fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Two elements with a `/` between them, cleaned (`path.Join`). Empty elements are left out.
pub fn join(folder: &str, item: &str) -> String {
    let elements: Vec<&str> = [folder, item].into_iter().filter(|element| !element.is_empty()).collect();
    if elements.is_empty() { String::new() } else { clean(&elements.join("/")) }
}
