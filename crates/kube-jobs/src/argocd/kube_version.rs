//! The version of Kubernetes, in the form in which Argo CD passes it to Helm.

/// A version of Kubernetes without the suffix that some clusters add (`v1.34.2-gke.100` becomes `1.34.2`), as in Argo CD 3.1 and later
/// (`parseKubeVersion` in `reposerver/repository/repository.go`, `ParseGeneric` in `k8s.io/apimachinery/pkg/util/version`). An empty text stays
/// empty. The error says why the text is not a version, and does not contain the text.
pub fn kube_version(text: &str) -> Result<String, &'static str> {
    if text.is_empty() {
        return Ok(String::new());
    }
    const NO_VERSION: &str = "it does not start with a version number";
    let trimmed = text.trim_start_matches(['\t', '\n', '\x0c', '\r', ' ']);
    let trimmed = trimmed.strip_prefix('v').unwrap_or(trimmed);
    let numbers = &trimmed[..numbers_end(trimmed)];
    // The regular expression of Argo CD accepts no line break after the numbers.
    if numbers.is_empty() || trimmed[numbers.len()..].contains('\n') {
        return Err(NO_VERSION);
    }
    let parts: Vec<&str> = numbers.split('.').collect();
    if parts.len() < 2 {
        return Err("it has no minor version");
    }
    if parts[0].starts_with('0') && parts[0] != "0" {
        return Err("its first number begins with a zero");
    }
    let parts: Result<Vec<u64>, _> = parts.into_iter().map(str::parse).collect();
    let parts = parts.map_err(|_| "one of its numbers is too large")?;
    Ok(parts.iter().map(u64::to_string).collect::<Vec<_>>().join("."))
}

/// The first two numbers of a version; zeros if the text is not a version.
pub fn minor_kube_version(text: &str) -> (u64, u64) {
    let version = kube_version(text).unwrap_or_default();
    let mut numbers = version.split('.').map_while(|number| number.parse::<u64>().ok());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default())
}

/// The length of the numbers and dots at the start of `text`.
fn numbers_end(text: &str) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    while end > 0 && text[end..].starts_with('.') {
        match digits(end + 1) {
            0 => break,
            more => end += 1 + more,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Row, rows};
    use super::*;

    #[test]
    fn reads_what_argo_cd_reads() {
        let table = include_str!("../../testdata/kube-version.jsonl");
        for Row { r#in, out, error } in rows(table, 0) {
            let wanted = if error.is_empty() { Some(out) } else { None };
            assert_eq!(kube_version(&r#in).ok(), wanted, "{:?}: {error}", r#in);
        }
    }
}
