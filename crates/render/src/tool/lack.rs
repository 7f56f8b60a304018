//! What a source lacks here, in an error of a tool: with what it has to do, and without words.

use crate::tool::cause::Cause;

/// What a source that was not rendered lacks here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The network, which may not be used.
    Network,
    /// One of these dependencies, which are not in `charts`.
    Dependency(Vec<String>),
    /// The option `--enable-helm` of kustomize.
    EnableHelm,
    /// The option `--load-restrictor LoadRestrictionsNone` of kustomize.
    LoadRestrictor,
    /// An API of the cluster: what the chart says of it.
    Api(String),
    /// Values of the chart: what the chart says of them.
    Values(String),
    /// This file.
    File(String),
    /// Something else: what the tool says.
    Said(String),
}

impl Lack {
    /// What a tool that failed with this cause and these words lacks.
    pub(super) fn of(cause: Option<Cause>, said: &str) -> Self {
        if cause == Some(Cause::Network) {
            return Self::Network;
        }
        if let Some(value) = missing_value(said).map(ToOwned::to_owned) {
            return if cause == Some(Cause::Api) { Self::Api(value) } else { Self::Values(value) };
        }
        if cause == Some(Cause::BuildOption) && said.contains("HelmChartInflationGenerator") {
            return Self::EnableHelm;
        }
        if cause == Some(Cause::BuildOption) && said.contains("is not in or below") {
            return Self::LoadRestrictor;
        }
        if let Some(file) = missing_file(said) {
            return Self::File(file.to_owned());
        }
        let line = said.lines().next().unwrap_or_default();
        Self::Said(line.strip_prefix("Error: ").unwrap_or(line).to_owned())
    }
}

/// The value that a chart asks for: the text of `required` and `fail`, the field that is null, the first line of its schema's complaint.
fn missing_value(said: &str) -> Option<&str> {
    if let Some((_, rest)) = said.split_once("execution error at (") {
        return rest.split_once("): ")?.1.lines().next();
    }
    if said.contains("nil pointer evaluating") {
        let (_, rest) = said.split_once("<.Values.").or_else(|| said.split_once("<$.Values."))?;
        return rest.split_once('>').map(|(field, _)| field);
    }
    if said.contains("values don't meet the specifications") {
        return said.lines().find_map(|line| line.trim_start().strip_prefix("- "));
    }
    None
}

/// The path of the missing file in a message of kustomize; as the kustomization writes it, if the message is about that file and not about one
/// that it refers to.
fn missing_file(said: &str) -> Option<&str> {
    let (before, _) = said.split_once(": no such file or directory")?;
    let path = before.rsplit(char::is_whitespace).next()?.trim_matches(['\'', '"', '`']);
    let written =
        before.rsplit_once("resources from '").and_then(|(_, rest)| rest.split_once('\'')).map(|(file, _)| file);
    let is_the_same = |written: &&str| path.ends_with(written.trim_start_matches("../").trim_start_matches("./"));
    Some(written.filter(is_the_same).unwrap_or(path)).filter(|file| !file.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let values = |text: &str| Lack::Values(text.to_owned());
        let file = |text: &str| Lack::File(text.to_owned());
        let said = |text: &str| Lack::Said(text.to_owned());
        for (text, expected) in [
            (
                "Error: trouble configuring builtin HelmChartInflationGenerator with config: `\nname: x`: must specify --enable-helm",
                Lack::EnableHelm,
            ),
            ("Error: security; file '/r/a' is not in or below '/r/b'", Lack::LoadRestrictor),
            (
                "Error: execution error at (shop/templates/job.yaml:1:4): image.tag is required",
                values("image.tag is required"),
            ),
            (
                "Error: template: shop/templates/a.yaml:7:20: executing \"shop/templates/a.yaml\" at <.Values.image.tag>: nil pointer evaluating interface {}.tag",
                values("image.tag"),
            ),
            (
                "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nshop:\n- image: tag is required\n",
                values("image: tag is required"),
            ),
            (
                "Error: accumulating resources: accumulation err='accumulating resources from '../base': open /r/base: no such file or directory': must build at directory",
                file("../base"),
            ),
            (
                "Error: accumulating resources: accumulation err='accumulating resources from '../../operator/fast': 'a/operator/fast' must resolve to a file': \
                 recursed accumulation of path 'a/operator/fast': accumulating components: loader.New \"must build at directory: not a valid directory: evalsymlink \
                 failure on 'clusters/components/operator/wait-for-mesh' : lstat clusters/components/operator/wait-for-mesh: no such file or directory\"",
                file("clusters/components/operator/wait-for-mesh"),
            ),
            (
                "Error: execution error at (shop/templates/check.yaml:1:4): operator CRDs not found",
                Lack::Api("operator CRDs not found".to_owned()),
            ),
            ("Error: cannot read: open /r/values.yaml: no such file or directory", file("/r/values.yaml")),
            ("Error: chart is broken", said("chart is broken")),
            (": no such file or directory", said(": no such file or directory")),
            ("", said("")),
        ] {
            assert_eq!(Lack::of(Cause::of(text, true, false), text), expected);
        }
        assert_eq!(Lack::of(Some(Cause::Network), "Error: dial tcp"), Lack::Network);
    }
}
