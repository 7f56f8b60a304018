//! `ignoreMissingComponents`: filters the components of an Application for those that exist.

use std::path::Path;

use checkout::clean;
use checkout::follow::{AbsoluteLinks, follow};

/// The components that exist in the repository, as written and in their order. `dir` is the Application's directory
/// and `repository` its root; both are absolute, and the root is free of symlinks.
///
/// All existing components are returned, as in Argo CD 3.0 to 3.5, which checks with Go's `os.Root`, so that paths
/// outside do not exist (`util/kustomize/kustomize.go`). If something exists that is not a component, kustomize
/// fails: a broken component is never left out. Argo CD 3.6 leaves it out, and by mistake uses only the first
/// component.
pub(crate) fn existing(components: &[String], dir: &Path, repository: &Path) -> Vec<String> {
    let exists = |component: &&String| {
        // Go joins an absolute path like a relative one.
        let path = clean(&dir.join(component.trim_start_matches('/')));
        follow(repository, &path, AbsoluteLinks::Refuse).is_ok()
    };
    components.iter().filter(exists).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratch::Scratch;
    use system::canonical;

    #[test]
    fn components_are_what_exists_in_the_repository() {
        let scratch = Scratch::with(&[
            "repo/app/kustomization.yaml",
            "repo/app/inside/kustomization.yml",
            "repo/one/kustomization.yaml",
            "repo/two/Kustomization",
            "repo/empty/other.yaml",
            "repo/file",
            "outside/kustomization.yaml",
        ])
        .link("repo/link", "one")
        .link("repo/out", "../outside")
        .link("repo/broken", "nowhere");
        let dir = canonical(&scratch.0).unwrap();
        let root = dir.join("repo");
        let scratch = scratch.link("repo/absolute", root.join("one"));
        let found = |components: &[&str]| {
            let components: Vec<String> = components.iter().map(|component| (*component).to_owned()).collect();
            existing(&components, &root.join("app"), &root)
        };
        let there = [
            "../two",
            "../one",
            "inside",
            "./inside/",
            "/inside",
            "../link",
            "../one/../two",
            "../one",
            "../empty",
            "../file",
        ];
        assert_eq!(found(&there), there);
        let missing = [
            "../three",
            "../../outside",
            "../out",
            "../absolute",
            "../broken",
            "/../../outside",
            "https://example.com/component",
            "../o*",
            "../one\0",
        ];
        assert_eq!(found(&missing), Vec::<String>::new());
        assert_eq!(found(&["../three", "../one"]), ["../one"]);
        drop(scratch);
    }
}
