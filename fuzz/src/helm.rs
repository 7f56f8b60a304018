//! Globs of Helm's value files by a model. The program keeps what matches them to itself, so that its files are compiled here once more.

#[path = "../../src/source/helm/pattern.rs"]
#[allow(dead_code, reason = "the program asks for more")]
mod pattern;
#[path = "../../src/source/helm/work.rs"]
#[allow(dead_code, reason = "the program asks for more")]
mod work;

/// All patterns that `{a,b}` stands for; `None` for more than a few.
fn expanded(pattern: &[char]) -> Option<Vec<Vec<char>>> {
    let mut at = 0;
    while at < pattern.len() && pattern[at] != '{' {
        at += 1 + usize::from(pattern[at] == '\\');
    }
    if at >= pattern.len() {
        return Some(vec![pattern.to_vec()]);
    }
    let (mut depth, mut start, mut ways, mut end) = (0, at + 1, Vec::new(), at);
    while end < pattern.len() {
        match pattern[end] {
            '\\' => end += 1,
            '{' => depth += 1,
            ',' if depth == 1 => {
                ways.push(&pattern[start..end]);
                start = end + 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    ways.push(&pattern[start..end]);
                    break;
                }
            }
            _ => {}
        }
        end += 1;
    }
    let mut all = Vec::new();
    for way in ways {
        all.extend(expanded(&[&pattern[..at], way, &pattern[(end + 1).min(pattern.len())..]].concat())?);
    }
    (all.len() < 64).then_some(all)
}

/// Whether a pattern without braces matches, one character after the other, by trying everything.
fn matches(pattern: &[char], name: &[char], steps: &mut usize) -> Option<bool> {
    *steps = steps.checked_sub(1)?;
    let Some(first) = pattern.first() else { return Some(name.is_empty()) };
    Some(match first {
        '*' => {
            matches(&pattern[1..], name, steps)?
                || name.first().is_some_and(|next| *next != '/') && matches(pattern, &name[1..], steps)?
        }
        '?' => name.first().is_some_and(|next| *next != '/') && matches(&pattern[1..], &name[1..], steps)?,
        '\\' => name.first() == pattern.get(1) && !name.is_empty() && matches(&pattern[2..], &name[1..], steps)?,
        _ => name.first() == Some(first) && matches(&pattern[1..], &name[1..], steps)?,
    })
}

/// Where a pattern matches another name than the model says. Classes and double stars are left out of the model.
pub fn broken(pattern: &str, text: &str) -> Option<String> {
    let is_valid = pattern::is_valid(pattern);
    for name in text.lines().skip(1).chain(["a"]).take(3).filter(|name| name.len() < 60 && !name.is_empty()) {
        let found = pattern::matches(pattern, name, &mut work::Work::for_all());
        // Braces in a class count for the one and not for the other, in the library too.
        if is_valid && !pattern.contains('[') && found == Err(pattern::Failed::BadPattern) {
            return Some(format!("{pattern:?} is valid, and a bad pattern for {name:?}"));
        }
        if !is_valid || pattern.contains('[') || pattern.contains("**") || pattern.len() > 60 {
            continue;
        }
        let chars: Vec<char> = pattern.chars().collect();
        let name_chars: Vec<char> = name.chars().collect();
        let mut steps = 20_000;
        let wanted = expanded(&chars)?.iter().try_fold(false, |is_one, way| {
            // Two stars in a row are one here, and a double star there.
            let has_double = way.windows(2).any(|two| two == ['*', '*']);
            if has_double { None } else { Some(is_one || matches(way, &name_chars, &mut steps)?) }
        })?;
        // At the end of a name the library takes a star for nothing only where the pattern ends too, and not before braces: in
        // `a*{,b}` it does not match `a` (`isZeroLengthPattern` in `match.go`).
        let star_before_brace = pattern.find('*').zip(pattern.rfind('{')).is_some_and(|(star, brace)| star < brace);
        if found != Ok(wanted) && !(star_before_brace && found == Ok(false)) {
            return Some(format!("{pattern:?} and {name:?} as helm's: {found:?}, by the model {wanted}"));
        }
    }
    None
}
