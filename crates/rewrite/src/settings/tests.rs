//! Precedence and provenance of settings; consistency of the table of parameters; every value becomes an option.

use std::collections::BTreeMap;

use goyaml::Value;
use kube_jobs::argocd::{Application, HookDeletePolicy, Phase, Version};
use kube_jobs::kubernetes::Job;

use super::*;
use crate::strategy::{ChosenBy, KeepName, Options, Prune, STRATEGIES, Strategy, StrategyChoice, decide};

/// Layers from an environment, the text of a config file, and typed parameters.
fn layers(environment: &[(&str, &str)], file: &str, typed: &[(&str, &str)]) -> Layers {
    let environment: BTreeMap<String, String> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let typed: Vec<CliParameter> = typed
        .iter()
        .map(|(name, value)| CliParameter {
            name: (*name).into(),
            written: format!("--{name}"),
            value: (*value).into(),
        })
        .collect();
    let application_parameters = RawLayers::application_parameters_in(&environment);
    let config_file = ConfigText { path: CONFIG_FILE.into(), text: file.to_owned() };
    let config_file = Some(&config_file).filter(|file| !file.text.is_empty());
    let texts = RawLayers {
        environment: &environment,
        config_file,
        application_parameters,
        command_line: &typed,
        ..RawLayers::default()
    };
    Layers::read(&texts).unwrap()
}

fn job() -> Job {
    Job::read("{metadata: {name: migrate, annotations: {argocd-jobs/ttl: '6'}}}").unwrap()
}

#[test]
fn every_value_knows_who_set_it() {
    let json = r#"[{"name": "ttl", "string": "4"}]"#;
    let environment = [("ARGOCD_JOBS_TTL", "1"), ("ARGOCD_ENV_ARGOCD_JOBS_TTL", "3"), ("ARGOCD_APP_PARAMETERS", json)];
    let file = "# the file\nttl: 2\nrules:\n  - match: {}\n    ttl: 22\n";
    let plain = Job::read("{metadata: {name: migrate}}").unwrap();
    let by = |layers: &Layers, job: &Job| {
        let settings = layers.for_job(job, None).unwrap().settings;
        settings.ttl.unwrap().by.to_string()
    };
    assert_eq!(by(&layers(&environment[..1], "", &[]), &plain), "environment variable `ARGOCD_JOBS_TTL`");
    assert_eq!(by(&layers(&environment[..1], "ttl: 2", &[]), &plain), "key `ttl` at .argocd-jobs.yaml:1:6");
    assert_eq!(by(&layers(&environment[..1], file, &[]), &plain), "key `ttl` at .argocd-jobs.yaml:5:10");
    assert_eq!(by(&layers(&environment[..2], file, &[]), &plain), "environment variable `ARGOCD_ENV_ARGOCD_JOBS_TTL`");
    assert_eq!(by(&layers(&environment, file, &[]), &plain), "parameter `ttl`");
    assert_eq!(by(&layers(&environment, file, &[("ttl", "5")]), &plain), "flag `--ttl`");
    assert_eq!(by(&layers(&environment, file, &[("ttl", "5")]), &job()), "annotation `argocd-jobs/ttl`");
    let locked = [&environment[..], &[("ARGOCD_JOBS_LOCK", "ttl")]].concat();
    assert_eq!(by(&layers(&locked, file, &[("ttl", "5")]), &job()), "environment variable `ARGOCD_JOBS_TTL`, locked");
    let above = layers(&environment, file, &[]).above_jobs();
    assert_eq!(above.ttl.map(|setting| setting.value), Some(4));
}

#[test]
fn a_lock_reports_what_it_overrules() {
    let locked = layers(&[("ARGOCD_JOBS_LOCK", "ttl,rerun,wave"), ("ARGOCD_JOBS_WAVE", "3")], "", &[("rerun", "2")]);
    let found = locked.for_job(&job(), None).unwrap();
    let told: Vec<String> =
        found.overruled.iter().map(|found| format!("{} {}", found.id.parameter().name, found.setting.by)).collect();
    assert_eq!(told, ["ttl annotation `argocd-jobs/ttl`", "rerun flag `--rerun`"]);
    assert_eq!((found.options.ttl, found.options.rerun, found.options.wave), (None, String::new(), Some(3)));
}

#[test]
fn every_value_becomes_an_option() {
    let file = "strategy: replace\nhook: [PreSync, PostSync]\nkeep-name: true\ndelete-policy: HookFailed\nwave: -2\nttl: 60\n\
                rerun: again\nbaseline: {shop/migrate: t5f75288t5}\nprune: keep\ndeadline: 30\nstrip-template-labels: [a, b]\n\
                trigger: false\ntrigger-name: t\nhash-references: true\nsource: directory\nrecurse: true\ninclude: i\n\
                exclude: e\nallow-empty: true\nallow-random: false\nargocd-version: v3.4.2\nrules: [{match: {}, base-name: base}]\n";
    let layers = layers(&[], file, &[]);
    let found = layers.for_job(&Job::read("{metadata: {name: migrate}}").unwrap(), Some("shop")).unwrap();
    // `blocks/tests/` sets the parameters for rendering.
    let others = PARAMETERS.iter().filter(|row| row.tool().is_none() && row.scope != Scope::Platform);
    assert_eq!(found.settings.iter().count(), others.count(), "all parameters are set");
    let Options {
        strategy,
        hook,
        keep_name,
        delete_policy,
        ttl,
        rerun,
        references: _,
        base_name,
        wave,
        deadline,
        prune,
        strip_template_labels,
        baseline,
        annotated,
    } = found.options;
    assert_eq!(annotated, []);
    assert_eq!(strategy.value, StrategyChoice::Strategy(Strategy::Replace));
    assert_eq!(hook.map(|asked| asked.value), Some(vec![Phase::PreSync, Phase::PostSync]));
    assert_eq!(keep_name, KeepName::Yes);
    assert_eq!(delete_policy.map(|asked| asked.value), Some(vec![HookDeletePolicy::HookFailed]));
    assert_eq!(ttl.map(|asked| (asked.value, asked.by)), Some((60, ChosenBy::Layer)));
    assert_eq!((wave, deadline), (Some(-2), Some(30)));
    assert_eq!((rerun.as_str(), base_name.as_deref()), ("again", Some("base")));
    assert_eq!(baseline.as_deref(), Some("t5f75288t5"));
    let stripped: Vec<&str> = strip_template_labels.iter().map(String::as_str).collect();
    assert_eq!((prune, stripped), (Prune::Keep, vec!["a", "b"]));
    let output = Output {
        empty: Empty::Allowed,
        random: Random::Refused,
        trigger: Trigger::No,
        trigger_name: Some("t".to_owned()),
        hash_references: HashReferences::Yes,
        argocd_version: Version::new(3, 4, 2),
    };
    let settings = ApplicationSettings {
        source: SourceKind::Directory,
        recurse: Recurse::Yes,
        include: Some("i".to_owned()),
        exclude: Some("e".to_owned()),
        helm: HelmSettings::default(),
        kustomize: KustomizeSettings::default(),
        platform: PlatformSettings::default(),
        output,
        is_native: false,
    };
    assert_eq!(layers.application(), settings);
}

#[test]
fn an_application_without_a_plugin_keeps_its_jobs() {
    let environment = BTreeMap::from([
        ("ARGOCD_JOBS_NETWORK".to_owned(), "never".to_owned()),
        ("ARGOCD_JOBS_STRATEGY".to_owned(), "hook".to_owned()),
        ("ARGOCD_JOBS_LOCK".to_owned(), "strategy".to_owned()),
        ("ARGOCD_JOBS_RECURSE".to_owned(), "true".to_owned()),
    ]);
    let text = "strategy: replace\nexclude: x\nignore: [ttl-reruns]\nrules: [{match: {name: x}, strategy: hook}]\n";
    let config_file = ConfigText { path: CONFIG_FILE.into(), text: text.to_owned() };
    let native = Settings::of_source(SourceKind::Directory, Value::read("{include: i}").unwrap()).unwrap();
    let texts = RawLayers {
        environment: &environment,
        config_file: Some(&config_file),
        native: Some(&native),
        with_plugin: WithPlugin::No,
        ..RawLayers::default()
    };
    let layers = Layers::read(&texts).unwrap();
    let ForJob { options, settings, overruled } = layers.for_job(&job(), None).unwrap();
    assert_eq!(options.strategy.value, crate::strategy::StrategyChoice::Strategy(crate::strategy::Strategy::Keep));
    assert_eq!((options.ttl, overruled), (None, Vec::new()));
    assert_eq!(settings.strategy.unwrap().by.to_string(), "the Application, which uses no plugin");
    assert!(layers.ignores("ttl-reruns", None, None));
    let found = layers.application();
    assert_eq!((found.output.trigger, found.recurse, found.is_native), (Trigger::No, Recurse::No, true));
    assert_eq!((found.include.as_deref(), found.exclude.as_deref()), (Some("i"), None));
    assert_eq!(found.platform.network, Some(Network::Never));
    // What the plugin would do.
    let layers = Layers::read(&RawLayers { with_plugin: WithPlugin::Yes, ..texts }).unwrap();
    assert_eq!(layers.for_job(&job(), None).unwrap().options.ttl.map(|ttl| ttl.value), Some(6));
    let found = layers.application();
    assert_eq!((found.output.trigger, found.recurse, found.is_native), (Trigger::Yes, Recurse::Yes, false));
}

#[test]
fn as_written_the_config_file_only_ignores_findings() {
    let environment = BTreeMap::from([
        ("ARGOCD_JOBS_NETWORK".to_owned(), "never".to_owned()),
        ("ARGOCD_JOBS_STRATEGY".to_owned(), "hook".to_owned()),
        ("ARGOCD_JOBS_LOCK".to_owned(), "strategy,recurse".to_owned()),
        ("ARGOCD_JOBS_RECURSE".to_owned(), "true".to_owned()),
    ]);
    let text = "strategy: replace\nexclude: x\nallow-empty: true\nhash-references: true\nrecurse: false\nignore: [ttl-reruns]\n\
                rules: [{match: {name: x}, strategy: hook}]\n";
    let config_file = ConfigText { path: CONFIG_FILE.into(), text: text.to_owned() };
    let texts = RawLayers {
        environment: &environment,
        config_file: Some(&config_file),
        application_parameters: Some(r#"[{"name":"include","string":"i"},{"name":"prune","string":"keep"}]"#),
        with_plugin: WithPlugin::No,
        ..RawLayers::default()
    };
    let layers = Layers::read(&texts).unwrap();
    let ForJob { options, overruled, .. } = layers.for_job(&job(), None).unwrap();
    assert_eq!(options.strategy.value, crate::strategy::StrategyChoice::Strategy(crate::strategy::Strategy::Keep));
    assert_eq!((options.ttl, overruled), (None, Vec::new()));
    assert!(layers.plugin() == PluginUse::AsWritten && layers.ignores("ttl-reruns", None, None));
    let found = layers.application();
    let output = Output { trigger: Trigger::No, ..Output::default() };
    assert_eq!((found.output, found.recurse, found.is_native), (output, Recurse::Yes, false));
    assert_eq!((found.include.as_deref(), found.exclude.as_deref()), (Some("i"), None));
    assert_eq!(found.platform.network, Some(Network::Never));
    assert!(layers.above_jobs().prune.is_none());
    // Argo CD does not read the config file of an Application without the plugin.
    let layers = Layers::read(&RawLayers { native: Some(&Settings::default()), ..texts }).unwrap();
    assert_eq!((layers.plugin(), layers.application().exclude), (PluginUse::Native, None));
}

#[test]
fn who_configures_the_plugin_uses_it() {
    let plugin = |environment: &[(&str, &str)], file: Option<&str>, typed: &[CliParameter]| {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let file = file.map(|text| ConfigText { path: CONFIG_FILE.into(), text: text.to_owned() });
        let texts = RawLayers {
            environment: &environment,
            config_file: file.as_ref(),
            command_line: typed,
            with_plugin: WithPlugin::IfConfigured,
            ..RawLayers::default()
        };
        Layers::read(&texts).unwrap().plugin()
    };
    let typed = |name: &str, value: &str| [CliParameter::by_flag(name, name, value)];
    for (name, found) in [
        ("a variable for Jobs", plugin(&[("ARGOCD_JOBS_STRATEGY", "hook")], None, &[])),
        ("`plugin.env`", plugin(&[("ARGOCD_ENV_ARGOCD_JOBS_TTL", "60")], None, &[])),
        ("a flag for Jobs", plugin(&[], None, &typed("prune", "keep"))),
        ("an empty file, which discovery finds", plugin(&[], Some(""), &[])),
        ("a file that selects files", plugin(&[], Some("recurse: true\nignore: [ttl-reruns]\n"), &[])),
        ("a rule for some Jobs", plugin(&[], Some("rules: [{match: {name: x}, strategy: keep}]\n"), &[])),
    ] {
        assert_eq!(found, PluginUse::Used, "{name}");
    }
    for (name, found) in [
        ("nothing", plugin(&[], None, &[])),
        ("a variable for rendering", plugin(&[("ARGOCD_JOBS_RECURSE", "true")], None, &[])),
        ("a flag for `check`", plugin(&[], None, &typed("argocd-version", "3.4"))),
        ("a file for `check`", plugin(&[], Some("argocd-version: \"3.4\"\nignore: [ttl-reruns]\n"), &[])),
        ("a rule for `check`", plugin(&[], Some("rules: [{match: {name: x}, ignore: [ttl-reruns]}]\n"), &[])),
    ] {
        assert_eq!(found, PluginUse::AsWritten, "{name}");
    }
}

#[test]
fn as_written_it_is_known_what_the_plugin_would_do() {
    let file = |text: &str| ConfigText { path: CONFIG_FILE.into(), text: text.to_owned() };
    let read = |file: &ConfigText, native: Option<&Settings>| {
        let texts = RawLayers { config_file: Some(file), native, with_plugin: WithPlugin::No, ..RawLayers::default() };
        Layers::read(&texts).unwrap().with_plugin().map(|layers| layers.for_job(&job(), None).is_ok())
    };
    assert_eq!(read(&file("strategy: hook\n"), None), Some(true));
    assert_eq!(read(&file("strategy: hook\n"), Some(&Settings::default())), Some(true));
    assert_eq!(Layers::read(&RawLayers::default()).unwrap().with_plugin().map(Layers::plugin), None);
}

#[test]
fn the_table_agrees_with_itself() {
    for (index, parameter) in PARAMETERS.iter().enumerate() {
        assert!(parameter.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", parameter.name);
        assert!(PARAMETERS[..index].iter().all(|other| other.name != parameter.name), "{} is unique", parameter.name);
        let has_default = match parameter.value_type {
            ValueType::Switch | ValueType::Choice(_) => Some(parameter.scope != Scope::OneJob),
            ValueType::List | ValueType::Texts | ValueType::Map | ValueType::Hashes | ValueType::Block(_) => {
                Some(false)
            }
            ValueType::Text { .. } | ValueType::CommaList(_) | ValueType::Number(_) => None,
        };
        let words: Vec<String> = match parameter.value_type {
            ValueType::Choice(words) | ValueType::CommaList(words) => words.iter().map(|w| format!("`{w}`")).collect(),
            ValueType::Number(least) => vec![format!("from {least} to {}", i32::MAX)],
            _ => Vec::new(),
        };
        assert!(words.iter().all(|word| parameter.expected.contains(word)), "`expected` of {}", parameter.name);
        assert!(has_default.is_none_or(|has| has != parameter.default.is_empty()), "default of {}", parameter.name);
    }
}

#[test]
fn defaults_are_what_holds_when_they_are_written_out() {
    let written: Vec<(&str, &str)> = Parameter::at(Position::Application)
        .filter(|parameter| !parameter.default.is_empty())
        .map(|parameter| (parameter.name, parameter.default))
        .collect();
    let (none, all) = (layers(&[], "", &[]), layers(&[], "", &written));
    assert_eq!(none.application(), all.application());
    for strategy in StrategyChoice::WORDS {
        let defaults = written.iter().copied().filter(|(name, _)| *name != "strategy");
        let typed: Vec<(&str, &str)> = defaults.chain([("strategy", *strategy)]).collect();
        let outcome = |typed: &[(&str, &str)]| {
            let job =
                Job::read("{metadata: {name: a}, spec: {ttlSecondsAfterFinished: 9, template: {spec: {}}}}").unwrap();
            let options = layers(&[], "", typed).for_job(&job, None).unwrap().options;
            format!("{:?}", decide(&job, &options, &Application::default()))
        };
        assert_eq!(outcome(&[("strategy", strategy)]), outcome(&typed), "{strategy}");
    }
    for setting in PARAMETERS.iter().filter(|parameter| !parameter.default.is_empty()) {
        let shown = layers(&[], "", &[(setting.name, setting.default)]).above_jobs();
        let shown = shown.get(setting.id).map(|found| found.value.display());
        assert_eq!(shown, Some(DisplayValue::Text(setting.default.into())), "{}", setting.name);
    }
}

/// What a strategy writes into a Job when a rule sets a parameter.
fn written(strategy: &str, line: &str) -> String {
    let job = Job::read("{metadata: {name: a}, spec: {template: {metadata: {labels: {helm.sh/chart: a}}, spec: {}}}}")
        .unwrap();
    let layers = layers(&[], &format!("strategy: {strategy}\nrules: [{{match: {{}}{line}}}]\n"), &[]);
    let options = layers.for_job(&job, None).unwrap().options;
    format!("{:?}", decide(&job, &options, &Application::default()).unwrap().changes)
}

#[test]
fn a_parameter_has_an_effect_under_the_strategies_that_are_named() {
    let of_jobs = PARAMETERS.iter().filter(|parameter| parameter.scope.allows(Position::Rule));
    let mut wrong = Vec::new();
    for parameter in of_jobs.filter(|parameter| !matches!(parameter.id, Id::Strategy | Id::Baseline)) {
        let strategies = parameter.id.strategies();
        assert!(!strategies.is_empty(), "{} has no effect under any strategy", parameter.name);
        let value = match parameter.value_type {
            ValueType::List => format!("[{}]", parameter.example),
            _ => parameter.example.to_owned(),
        };
        for row in STRATEGIES {
            let StrategyChoice::Strategy(strategy) = row.choice else { continue };
            let changes = written(row.id, &format!(", {}: {value}", parameter.name)) != written(row.id, "");
            if changes != strategies.contains(&strategy) {
                wrong.push(format!("{} under {}: changes the Job: {changes}", parameter.name, row.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_parameter_of_the_application_changes_its_settings() {
    // Without projects, mounted credentials are refused.
    let projects = ("ARGOCD_JOBS_HELM_CREDENTIALS_PROJECTS".to_owned(), "shop".to_owned());
    for parameter in PARAMETERS.iter().filter(|parameter| !parameter.scope.allows(Position::Rule)) {
        let own = (format!("ARGOCD_JOBS_{}", parameter.variable()), parameter.example.to_owned());
        let before = if own.0 == projects.0 { [].as_slice() } else { std::slice::from_ref(&projects) };
        let settings = |environment: &[(String, String)]| {
            let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (&**name, &**value)).collect();
            layers(&environment, "", &[]).application()
        };
        assert_ne!(settings(before), settings(&[before, &[own]].concat()), "{} is read by nobody", parameter.name);
    }
}
