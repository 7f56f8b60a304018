//! The search in kustomizations, with folders on disk.

use std::time::Duration;

use scratch::Scratch;
use system::canonical;

use crate::kustomize::search::*;

const APP: &str = "app/kustomization.yaml";
const FUNCTION: &str = "metadata: {annotations: {config.kubernetes.io/function: 'exec: {path: ./run.sh}'}}\n";

fn repository(files: &[(&str, &[u8])]) -> Scratch {
    let base = Scratch::with(&["repo/.git/config", "outside/kustomization.yaml", "outside/fn.yaml"]);
    files.iter().fold(base, |scratch, (path, bytes)| scratch.file(&format!("repo/{path}"), *bytes))
}

/// The message about the kustomization in `app`; empty when it is accepted.
fn said_of(scratch: &Scratch, wall: Wall, has_alpha_plugins: bool) -> String {
    let root = canonical(scratch.0.join("repo")).unwrap();
    let deadline = Deadline::after(Duration::from_secs(60));
    let rules = Rules { has_alpha_plugins, ..Rules::new(&root, deadline, wall) };
    check(&root.join("app"), &rules).err().map(|error| error.to_string()).unwrap_or_default()
}

fn with_functions(files: &[(&str, &str)]) -> String {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    said_of(&repository(&files), Wall::Kernel, true)
}

fn utf16(text: &str) -> Vec<u8> {
    [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

#[test]
fn a_folder_outside_of_the_repository_is_found_however_it_is_written() {
    for (written, outside) in [
        ("resources: [../../outside]", "../../outside"),
        ("resources: [x/../../../outside]", "x/../../../outside"),
        ("resources: [../../gone]", "../../gone"),
        ("Resources: [../../outside]", "../../outside"),
        ("RE\u{17f}ource\u{17f}: [../../outside]", "../../outside"),
        ("components: [../link]", "../link"),
        ("bases: [../.git/x]", "../.git/x"),
        ("bases: [gone/../../.git/x]", "gone/../../.git/x"),
        ("resources: [!!binary Li4vLi4vb3V0c2lkZQ==]", "../../outside"),
        ("generators: [../../outside]", "../../outside"),
        ("transformers: [\"../../outside\"]", "../../outside"),
        ("Validators:\n- >-\n  ../../outside", "../../outside"),
        ("resources: [../lib]", "../../outside"),
    ] {
        let files = [(APP, written.as_bytes()), ("lib/kustomization.yml", b"bases: [../../outside]\n")];
        let scratch = repository(&files).link("repo/link", "../outside");
        for wall in [Wall::Kernel, Wall::Reading] {
            let said = said_of(&scratch, wall, false);
            assert!(said.starts_with(&format!("the kustomization uses `{outside}`, which is outside")), "{said}");
        }
    }
}

#[test]
fn what_is_in_the_repository_or_not_there_is_left_to_kustomize() {
    for written in [
        "resources: [../lib, job.yaml, 'https://example.com/x', gone, ../app/../lib, /etc, null, 1]\nx: ../../outside",
        "resources: ../../outside",
        "transformers: ['kind: x\nmetadata: {name: a}\n']",
        "configMapGenerator: [{name: a, literals: ['A=../..', B=.gitignore]}]",
        "resources: []",
        "",
        "[]",
    ] {
        let scratch = repository(&[(APP, written.as_bytes()), ("lib/Kustomization", b"resources: [../app]\n")]);
        assert_eq!(said_of(&scratch, Wall::Reading, false), "", "{written}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_without_the_wall_of_the_kernel() {
    let large = [b"resources: [../../outside]\n".to_vec(), vec![b'#'; MAX_FILE as usize]].concat();
    for (bytes, why) in [
        (utf16("resources: [../../outside]\n"), "it is not UTF-8"),
        (large, "it is larger than 8 MiB"),
        (b"a: [".to_vec(), "did not find expected"),
        (b"resources: [../chain/l60]".to_vec(), "too many levels of symbolic links"),
    ] {
        let mut scratch = repository(&[(APP, &bytes), ("chain/x", b"")]).link("repo/chain/l0", "../../outside");
        for at in 1..=60 {
            scratch = scratch.link(&format!("repo/chain/l{at}"), format!("l{}", at - 1));
        }
        assert_eq!(said_of(&scratch, Wall::Kernel, false), "");
        let said = said_of(&scratch, Wall::Reading, false);
        assert!(said.contains("` cannot be read: ") && said.contains(why), "{said}");
    }
    let scratch = repository(&[("app/x", b"")]).link(&format!("repo/{APP}"), "../../outside/kustomization.yaml");
    assert!(said_of(&scratch, Wall::Reading, false).starts_with(&format!("the symlink `{APP}` leads out")));
}

#[test]
fn nothing_of_git_is_named_by_a_kustomization_around_it() {
    let said = |text: &str| {
        let scratch = repository(&[("kustomization.yaml", text.as_bytes()), ("gen.yaml", b"files: [.git/config]\n")]);
        let root = canonical(scratch.0.join("repo")).unwrap();
        let deadline = Deadline::after(Duration::from_secs(60));
        check(&root, &Rules::new(&root, deadline, Wall::Reading))
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for text in [
        "configMapGenerator: [{name: a, files: [key=./.git/config]}]",
        "resources: [\".g\\x69t/config\"]",
        "generators: [gen.yaml]",
        "generators: ['{files: [\".g\\x69t/config\"]}']",
    ] {
        assert!(said(text).contains("names `.git`"), "{text}: {}", said(text));
    }
    assert_eq!(said("resources: ['https://example.com/a.git', .github/x.yaml]"), "");
}

#[test]
fn a_function_is_found_wherever_it_is() {
    let base = ("base/kustomization.yml", "transformers: [fn.yaml]\n");
    let (gen_file, gen_patch) =
        (("gen/Kustomization", "resources: [a.yaml]\n"), ("gen/Kustomization", "patches: [{path: a.yaml}]\n"));
    let function = ("gen/a.yaml", FUNCTION);
    for (files, place) in [
        (vec![(APP, "transformers: [fn.yaml]\n"), ("app/fn.yaml", FUNCTION)], "app/fn.yaml"),
        (vec![(APP, "Transformers: [fn.yaml]\n"), ("app/fn.yaml", FUNCTION)], "app/fn.yaml"),
        (vec![(APP, "validators: ['kind: x\n  config.k8s.io/function']\n")], APP),
        (vec![(APP, "validators: [\"kind: x\\nconfig\\x46n: {}\"]\n")], APP),
        (vec![(APP, "validators: ['{kind: x, \"config\\x46n\": {}}']\n")], APP),
        (vec![(APP, "resources: [../base]\n"), base, ("base/fn.yaml", FUNCTION)], "base/fn.yaml"),
        (vec![(APP, "components: [../base]\n"), base, ("base/fn.yaml", FUNCTION)], "base/fn.yaml"),
        (vec![(APP, "generators: [../gen]\n"), gen_file, function], "gen/a.yaml"),
        (vec![(APP, "generators: [../gen]\n"), gen_patch, function], "gen/a.yaml"),
    ] {
        let said = with_functions(&files);
        assert!(said.starts_with(&format!("`{place}` contains a function")), "{files:?} {said}");
    }
}

#[test]
fn what_cannot_be_searched_for_functions_is_refused() {
    for path in ["https://example.com/base", "git@example.com:a/b", "missing.yaml"] {
        for list in ["resources", "components", "transformers"] {
            let said = with_functions(&[(APP, &format!("{list}: ['{path}']\n"))]);
            assert!(said.starts_with(&format!("`{path}` is not in the repository")), "{said}");
        }
    }
    // Only the first 8 MiB are read: a function at the end would be missed.
    let large = format!("#{}\n{FUNCTION}", "x".repeat(MAX_FILE as usize));
    let said = with_functions(&[(APP, "transformers: [fn.yaml]\n"), ("app/fn.yaml", &large)]);
    assert!(said.starts_with("`app/fn.yaml` cannot be read: it is larger than 8 MiB"), "{said}");
}

#[test]
fn what_has_no_function_is_left_to_kustomize() {
    for files in [
        vec![(APP, "resources: [a.yaml]\n"), ("app/a.yaml", FUNCTION)],
        vec![(APP, "resources: [../app]\n")],
        vec![
            (APP, "transformers: [fn.yaml]\nresources: [empty]\n"),
            ("app/fn.yaml", "kind: Plugin\n"),
            ("app/empty/x", ""),
        ],
        vec![(APP, "patches: [{patch: 'a: b'}]\nimages: [{name: a}]\nconfigurations: [missing]\n")],
        vec![("app/x", "")],
    ] {
        assert_eq!(with_functions(&files), "", "{files:?}");
    }
}

#[test]
fn the_paths_in_a_kustomization_are_followed_until_the_deadline() {
    let scratch = repository(&[(APP, b"resources: [../lib]\n"), ("lib/kustomization.yaml", b"")]);
    let root = canonical(scratch.0.join("repo")).unwrap();
    let rules = Rules::new(&root, Deadline::after(Duration::ZERO), Wall::Reading);
    let mut search = Search { rules: &rules, can_name_git: false, seen: BTreeSet::new(), todo: Vec::new() };
    let looked = search.look(&root.join("app"), false);
    assert!(matches!(looked, Err(RenderError::NotReadInTime)) && search.todo.is_empty());
}
