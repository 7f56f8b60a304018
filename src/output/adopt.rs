//! What `adopt` prints beside the change and the preview.

/// What brings the change into the cluster, in this order. `is_by_live` says that the baseline comes from the live Jobs.
pub fn next_steps<'n>(is_written: bool, is_by_live: bool, names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    let mut steps = Vec::new();
    if !is_by_live {
        let step = "see that the Application is Synced, or pass the live Jobs with `--live`: the baseline says that the Jobs have run as they are in Git";
        steps.push(step.to_owned());
    }
    if !is_written {
        steps.push("run this command again with `--write`".to_owned());
    }
    let step = "commit the change, or apply it with `kubectl apply`; an Application with automated sync then syncs as shown above";
    steps.push(step.to_owned());
    if let [name] = names.as_slice() {
        // Outside of the namespace of Argo CD.
        let name = name.replacen('_', "/", 1);
        steps.push(format!("without automated sync: `argocd app diff {name}`, then `argocd app sync {name}`"));
    }
    let steps = steps.iter().enumerate().map(|(index, step)| format!("{}. {step}\n", index + 1));
    format!("\nNEXT STEPS\n{}", steps.collect::<String>())
}
