//! Names that the API server accepts (`k8s.io/apimachinery/pkg/util/validation`).

/// The maximum length of a subdomain and of a label, in bytes.
const MAX_SUBDOMAIN: usize = 253;
const MAX_LABEL: usize = 63;

/// Why a name is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// It has more bytes than this maximum.
    Length(usize),
    /// It has a character that is not allowed in a name.
    Character(char),
    /// It is empty, or begins or ends with a character other than a letter or digit.
    Ends,
    /// A part between two dots is empty, or begins or ends with a character other than a letter or digit.
    Part,
}

/// Checks that a text is an RFC 1123 subdomain, as the name of a Job must be (`IsDNS1123Subdomain`).
pub fn subdomain(text: &str) -> Result<(), Invalid> {
    characters(text, &['-', '.'])?;
    ends(text)?;
    text.split('.').try_for_each(ends).map_err(|_| Invalid::Part)?;
    if text.len() > MAX_SUBDOMAIN { Err(Invalid::Length(MAX_SUBDOMAIN)) } else { Ok(()) }
}

/// Checks that a text is the beginning of an RFC 1123 subdomain: a dash at its end is allowed (`maskTrailingDash`).
pub fn subdomain_prefix(text: &str) -> Result<(), Invalid> {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => subdomain(&format!("{rest}a")),
        _ => subdomain(text),
    }
}

/// Checks that a text is an RFC 1123 label, as the name of a namespace must be (`IsDNS1123Label`).
pub fn label(text: &str) -> Result<(), Invalid> {
    characters(text, &['-'])?;
    ends(text)?;
    if text.len() > MAX_LABEL { Err(Invalid::Length(MAX_LABEL)) } else { Ok(()) }
}

fn characters(text: &str, others: &[char]) -> Result<(), Invalid> {
    let is_allowed = |found: char| found.is_ascii_lowercase() || found.is_ascii_digit() || others.contains(&found);
    text.chars().find(|found| !is_allowed(*found)).map_or(Ok(()), |found| Err(Invalid::Character(found)))
}

fn ends(part: &str) -> Result<(), Invalid> {
    let is_inner = |found: char| !found.is_ascii_alphanumeric();
    if part.is_empty() || part.starts_with(is_inner) || part.ends_with(is_inner) { Err(Invalid::Ends) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_as_the_api_server_judges_them() {
        for text in ["a", "migrate-1", "0.a-b.c", &"a".repeat(253)] {
            assert_eq!(subdomain(text), Ok(()), "{text}");
        }
        for (text, wrong) in [
            ("Foo", Invalid::Character('F')),
            ("foo_bar", Invalid::Character('_')),
            ("é", Invalid::Character('é')),
            ("-a", Invalid::Ends),
            ("a-", Invalid::Ends),
            ("a.-b", Invalid::Part),
            ("a..b", Invalid::Part),
            ("a.", Invalid::Ends),
            (&"a".repeat(254), Invalid::Length(253)),
        ] {
            assert_eq!(subdomain(text), Err(wrong), "{text}");
        }
    }

    #[test]
    fn a_prefix_may_end_in_a_dash_and_a_namespace_has_no_point() {
        assert_eq!(subdomain_prefix("migrate-"), Ok(()));
        assert_eq!(subdomain_prefix("migrate--"), Ok(()));
        assert_eq!(subdomain_prefix("-"), Err(Invalid::Ends));
        assert_eq!(subdomain_prefix("migrate."), Err(Invalid::Ends));
        assert_eq!(subdomain_prefix("migrate_"), Err(Invalid::Character('_')));
        assert_eq!(label("team-a"), Ok(()));
        assert_eq!(label("team.a"), Err(Invalid::Character('.')));
        assert_eq!(label(&"a".repeat(64)), Err(Invalid::Length(63)));
    }
}
