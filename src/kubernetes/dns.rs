//! Names that the API server accepts (`k8s.io/apimachinery/pkg/util/validation`).

/// The longest subdomain and the longest label, in bytes.
const MAX_SUBDOMAIN: usize = 253;
const MAX_LABEL: usize = 63;

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// It has more bytes than this.
    Length(usize),
    /// It has a character that no name can have.
    Character(char),
    /// It begins or ends with something else than a letter or digit, or is empty.
    Ends,
    /// A part of it between two dots does.
    Part,
}

/// Whether a text is an RFC 1123 subdomain, as the name of a Job has to be (`IsDNS1123Subdomain`). The error says why not.
pub fn subdomain(text: &str) -> Result<(), Invalid> {
    characters(text, &['-', '.'])?;
    ends(text)?;
    text.split('.').try_for_each(ends).map_err(|_| Invalid::Part)?;
    if text.len() > MAX_SUBDOMAIN { Err(Invalid::Length(MAX_SUBDOMAIN)) } else { Ok(()) }
}

/// Whether a text is the beginning of one: a last dash is allowed (`maskTrailingDash`).
pub fn subdomain_prefix(text: &str) -> Result<(), Invalid> {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => subdomain(&format!("{rest}a")),
        _ => subdomain(text),
    }
}

/// Whether a text is an RFC 1123 label, as the name of a namespace has to be (`IsDNS1123Label`). The error says why not.
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
