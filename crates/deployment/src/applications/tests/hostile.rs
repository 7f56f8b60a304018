//! Applications that try to lead out of the checkout, or to take a lot of time.

use super::*;

#[cfg(unix)]
#[test]
fn a_path_may_be_a_link_in_the_repository_and_none_out_of_it() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new();
    let repo = scratch.0.join("repo");
    symlink("apps", repo.join("inside")).unwrap();
    symlink("../outside", repo.join("out")).unwrap();
    symlink("/etc", repo.join("etc")).unwrap();
    symlink("round", repo.join("round")).unwrap();
    let at = |path: &str| app(&format!("{{source: {{repoURL: '{URL}', path: {path}}}}}"));
    assert_eq!(scratch.source(&at("inside/shop")).dir, Path::new("inside/shop"));
    for path in ["out", "etc", "out/../out", "inside/../etc"] {
        assert!(scratch.skipped(&at(path)).ends_with("leads out of the repository"), "{path}");
    }
    assert!(scratch.skipped(&at("round")).ends_with("`round` cannot be read: too many levels of symbolic links"));
}

#[test]
fn bombs_are_refused_and_many_sources_are_read() {
    let scratch = Scratch::new();
    let one = format!("  - {{repoURL: '{URL}', path: apps/shop, targetRevision: main}}\n");
    let many = app(&format!("\n  sources:\n{}", one.repeat(5_000)));
    assert_eq!(scratch.read(&many).sources.len(), 5_000);
    // Every source refers to all others, and has all sync options.
    let references: String =
        (0..5_000).map(|at| format!("  - {{repoURL: '{URL}', ref: r{at}, path: apps/shop}}\n")).collect();
    let options = "a, ".repeat(5_000);
    let many = app(&format!("\n  syncPolicy: {{syncOptions: [{options}]}}\n  sources:\n{references}"));
    assert_eq!(scratch.read(&many).sources.len(), 5_000);
    let mut bomb = "  a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        bomb += &format!("  a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", "));
    }
    assert!(scratch.skipped(&app(&format!("\n{bomb}"))).contains("aliases expand to more than 6 MiB"));
    let text = "x".repeat(100_000);
    let wide = format!("\n  a: &a {text}\n  b: [{}]\n", vec!["*a"; 3000].join(", "));
    assert!(scratch.skipped(&app(&wide)).contains("aliases expand to more than 6 MiB"));
    let overrides = format!("a: &a {text}\nb: [{}]\n", vec!["*a"; 3000].join(", "));
    scratch.file("apps/shop/.argocd-source.yaml", &overrides);
    assert!(scratch.skipped(&with_block("")).contains("aliases expand to more than 6 MiB"));
    scratch.file("apps/shop/.argocd-source.yaml", &"#".repeat((1 << 20) + 1));
    assert!(scratch.skipped(&with_block("")).ends_with("it is larger than 1 MiB"));
}
