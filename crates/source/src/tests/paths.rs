//! Files in memory, and the paths in messages.

use system::PathText;

use super::*;

#[test]
fn files_in_memory_are_read_as_those_on_disk() {
    let files = ["b.yaml", "a/z.yaml", "a.yaml", "./a/b/c.yaml", "B.yaml", "a-b.yaml", "a1.json", "x.txt"];
    let disk = Scratch::with(&files).file(CONFIG_FILE, "ttl: 1\n");
    let memory = || {
        let files = files.iter().map(|file| (PathBuf::from(file), file.as_bytes().to_vec()));
        Input::Files(files.chain([(PathBuf::from(CONFIG_FILE), b"ttl: 1\n".to_vec())]).collect())
    };
    let texts =
        |request| read(request).unwrap().into_iter().map(|found| (found.origin, found.text)).collect::<Vec<_>>();
    for recurse in [Recurse::No, Recurse::Yes] {
        let on_disk = texts(Request { recurse, ..disk.request() });
        assert_eq!(texts(Request { input: memory(), recurse, ..disk.request() }), on_disk);
    }
    let mut source = Source::open(memory(), &Surroundings::default()).unwrap();
    assert_eq!(source.config_file().unwrap().unwrap().text, "ttl: 1\n");
    assert_eq!(source.marker(), Some(CONFIG_FILE));
    let misnamed = Source::files([(".argocd-jobs.yml", "")]).config_file();
    assert!(matches!(misnamed, Err(Error::MisnamedConfigFile(_))));
    let chart = Source::files([("Chart.yaml", "")]).manifests(&ApplicationSettings::default());
    assert!(chart.unwrap_err().to_string().starts_with(".: Argo CD would run Helm here"));
}

#[test]
fn all_paths_begin_with_the_name_of_the_directory() {
    let files = |names: &[&str]| names.iter().map(|name| (PathBuf::from(name), b"\xe4".to_vec())).collect();
    let shop = Surroundings { shown_as: Some(PathBuf::from("apps/shop")), ..Surroundings::default() };
    let source = |names: &[&str]| Source::open(Input::Files(files(names)), &shop).unwrap();
    let message = |names: &[&str]| match source(names).config_file() {
        Err(error) => error.to_string(),
        Ok(_) => source(names).manifests(&ApplicationSettings::default()).unwrap_err().to_string(),
    };
    for names in [&["a.json"][..], &["a.jsonnet"], &[CONFIG_FILE], &[".argocd-jobs.yml"]] {
        assert!(message(names).starts_with(&format!("apps/shop/{}:", names[0])), "{}", message(names));
    }
    let scratch = Scratch::with(&["sub/a.yaml"]).link("sub/b.yaml", "/etc/hosts");
    let dir = scratch.0.join("./x/../sub/.");
    fs::create_dir(scratch.0.join("x")).unwrap();
    let source = Source::open(Input::Directory(dir), &Surroundings::default()).unwrap();
    let message = source.manifests(&ApplicationSettings::default()).unwrap_err().to_string();
    assert!(message.starts_with(&scratch.0.join("sub/b.yaml: this symlink").shown().to_string()), "{message}");
}

#[test]
fn a_typed_folder_lies_in_its_checkout() {
    let scratch = Scratch::with(&["repo/.git/HEAD", "repo/app/a.yaml", "home/a.yaml", "home/deep/a.yaml"])
        .link("repo/inside", "app")
        .link("repo/out", "../home")
        .link("repo/.git/app", "../app")
        .link("to-repo", "repo");
    let names = |path: &str| match read(scratch.request_below(path)) {
        Ok(found) => found.len().to_string(),
        Err(error) => error.to_string(),
    };
    for path in ["repo/app", "repo/inside", "to-repo/inside", "repo/app/../inside", "home"] {
        assert_eq!(names(path), "1", "{path}");
    }
    for path in ["repo/out", "to-repo/out", "repo/out/deep", "repo/out/../home", "repo/app/../out"] {
        let message = names(path);
        assert!(message.ends_with("cannot be read: it is a symlink that leads out of the repository"), "{message}");
    }
    let file = Request { input: Input::File(scratch.0.join("repo/out/a.yaml")), ..scratch.request() };
    assert!(read(file).is_err());
}

#[test]
fn a_clean_path_is_short() {
    let cleaned = |path: &str| clean(Path::new(path)).shown().to_string();
    assert_eq!(cleaned("./apps/../shop/."), "shop");
    assert_eq!(cleaned("../../a"), "../../a");
    assert_eq!(cleaned("/../a/"), "/a");
    assert_eq!(cleaned("."), "");
}

#[test]
fn a_small_file_is_read_as_it_is_and_never_in_part() {
    let scratch = Scratch::new().file("small.txt", "\u{feff}text").file("sub/below.txt", "x");
    for input in [
        Input::Directory(scratch.0.clone()),
        Input::Files([(PathBuf::from("small.txt"), "\u{feff}text".into())].into()),
    ] {
        let mut source = open(input, Tools::default()).unwrap();
        assert_eq!(source.small_file("small.txt", 100).unwrap().as_deref(), Some("text"));
        assert!(source.small_file("small.txt", 3).unwrap_err().to_string().contains("larger than 3 bytes"));
        assert_eq!(source.small_file("none.txt", 100).unwrap(), None);
        assert_eq!(source.small_file("sub", 100).unwrap(), None);
    }
    assert_eq!(open(stdin(b"a").input, Tools::default()).unwrap().small_file("small.txt", 100).unwrap(), None);
}

#[test]
fn a_chart_below_kustomize_is_refused_when_its_schema_leads_out() {
    let scratch = Scratch::with(&["good/Chart.yaml", "bad/Chart.yaml"])
        .file("bad/charts/sub/values.schema.json", r#"{"$ref": "file:///etc/passwd"}"#);
    assert_eq!(render::check_chart(&scratch.0.join("good")), Ok(()));
    let refused = render::check_chart(&scratch.0.join("bad")).unwrap_err();
    assert!(refused.starts_with("`charts/sub/values.schema.json` refers to `file:///etc/passwd`"), "{refused}");
}

#[test]
fn a_tag_is_what_git_knows_as_one_and_no_branch_has_the_name_of() {
    let repository = super::revision::Repository::of(Scratch::with(&["repo/a.yaml"]));
    for name in ["portal-2.3.0", "both", "of-remote"] {
        repository.git(&["tag", name]);
    }
    repository.git(&["branch", "both"]);
    repository.git(&["update-ref", "refs/remotes/origin/of-remote", "HEAD"]);
    let root = system::canonical(repository.0.0.join("repo")).unwrap();
    assert_eq!(crate::tags(&root, &super::revision::tools()).into_iter().collect::<Vec<_>>(), ["portal-2.3.0"]);
}
