//! What `adopt` prints beside the change and the preview.

use crate::applications::NotAdopted;
use crate::text::Message;

/// An Application or ApplicationSet that is left as it is.
pub fn left(kind: &str, name: &str, why: Message) -> Message {
    Message { text: format!("{kind} `{name}` is left as it is: {}", why.text), ..why }
}

/// Why the text of its manifest does not change.
pub fn why_not(why: &NotAdopted) -> Message {
    let (why, help) = match why {
        NotAdopted::Already => ("it uses the plugin already".to_owned(), None),
        NotAdopted::OtherPlugin(other) => (
            format!("it uses the plugin `{other}`, and a source has one plugin"),
            Some("docs/alternatives.md says how to put `argocd-jobs generate -` behind another plugin"),
        ),
        NotAdopted::SeveralSources => (
            "it has several sources, and a plugin gets no files of another source".to_owned(),
            Some("docs/moving.md says what to do with value files of another source"),
        ),
        NotAdopted::NoSource => ("it has no source".to_owned(), None),
        NotAdopted::Jsonnet => ("its source has options of Jsonnet, which the plugin does not run".to_owned(), None),
        NotAdopted::TemplatePatch => (
            "`spec.templatePatch` is text, so that its source cannot be changed".to_owned(),
            Some("add the plugin by hand: docs/moving.md has the block before and after"),
        ),
        NotAdopted::ByHand => (
            "its YAML cannot be changed in place".to_owned(),
            Some(
                "write it without anchors, aliases and merge keys, or add the plugin by hand: docs/moving.md has the block before and after",
            ),
        ),
    };
    let message = Message::new(why);
    match help {
        Some(help) => message.help(help),
        None => message,
    }
}

/// The commands that bring the change into the cluster, in their order.
pub fn next_steps<'n>(is_written: bool, names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    let mut out = "\nNEXT STEPS\n".to_owned();
    let mut steps = vec![
        "see that the Application is Synced: the baseline says that its Jobs have run as they are in Git".to_owned(),
    ];
    if !is_written {
        steps.push("run this command again with `--write`".to_owned());
    }
    steps.push("commit the change, or apply it with `kubectl apply`; an Application with automated sync then syncs as shown above".to_owned());
    if let [name] = names.as_slice() {
        // Outside of the namespace of Argo CD.
        let name = name.replacen('_', "/", 1);
        steps.push(format!("without automated sync: `argocd app diff {name}`, then `argocd app sync {name}`"));
    }
    for (index, step) in steps.iter().enumerate() {
        out += &format!("{}. {step}\n", index + 1);
    }
    out
}
