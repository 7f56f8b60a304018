//! The finding for a source that could not be read.

use text::{Place, split_help};

use super::Finding;
use super::rules::NOT_RENDERED;

/// The finding for a source that is not rendered. `place` is where the source is defined, and `reason` is the error with its help.
pub fn not_rendered(place: Option<Place>, reason: &str) -> Finding {
    let (reason, help) = split_help(reason);
    let message = format!("its Jobs were not checked: {}", said(reason));
    Finding::new(&NOT_RENDERED, place, message, help.unwrap_or(NOT_RENDERED.fix).to_owned())
}

/// The first line of an error: the others can have the text of a Secret. kustomize's error about a plugin has the configuration of the plugin in the
/// middle: the step and the cause are kept.
fn said(error: &str) -> String {
    let first = error.lines().next().unwrap_or_default();
    let said = match (first.split_once(" with config: `"), error.rsplit_once("`: ")) {
        (Some((what, _)), Some((_, cause))) if !cause.contains('\n') => format!("{what}: {cause}"),
        _ => first.to_owned(),
    };
    // The text after ` from [` is the patch.
    said.split(" from [").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn only_what_a_tool_says_itself_is_kept_of_its_error() {
        let config = "`kustomize build` failed: trouble configuring builtin HelmChartInflationGenerator with config: `\npassword: x\n`: must specify --enable-helm";
        assert_eq!(
            said(config),
            "`kustomize build` failed: trouble configuring builtin HelmChartInflationGenerator: must specify --enable-helm"
        );
        assert_eq!(said("unable to parse patch from [a\npassword: x]"), "unable to parse patch");
        assert_eq!(
            said("f with config: `\npatch: x\n`: unable to parse patch from [patch: x]"),
            "f: unable to parse patch"
        );
        assert_eq!(said(""), "");
    }
}
