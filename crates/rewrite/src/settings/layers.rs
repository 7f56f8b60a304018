//! All layers, and their precedence, which no other module decides. From the strongest to the weakest:
//!
//! 1. an annotation of the Job,
//! 2. the command line (last one),
//! 3. `plugin.parameters` of the Application,
//! 4. `plugin.env` of the Application,
//! 5. a rule of the config file (first one that matches),
//! 6. the top of the config file,
//! 7. the environment of the sidecar,
//! 8. the default.
//!
//! A parameter that the sidecar locks has the value of the sidecar, whatever the other layers say.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kube_jobs::kubernetes::Job;

use super::application_parameters::{self, VARIABLE};
use super::environment::{self, FromEnvironment};
use super::parameter::{Position, Scope};
use super::parameters::{Id, Names, Parameter};
use super::set::set;
use super::value::{AnySetting, RawValue};
use super::{
    ApplicationSettings, ConfigFile, ConfigText, Empty, Error, Ignore, Output, Provenance, SetValues, Settings,
    Trigger, annotation,
};
use crate::strategy::Options;

/// The name of the parameter that chooses how a Job is rewritten.
const STRATEGY: &str = "strategy";

/// All layers, parsed. Only the annotations are missing: each Job has its own.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    sidecar: Settings,
    file: ConfigFile,
    /// The path of the config file that messages show; `None` when there is no config file.
    config_file: Option<PathBuf>,
    /// The merged values of `plugin.env`, `plugin.parameters` and the command line. The command line wins, then the
    /// parameters.
    application: Settings,
    locked: Names,
    /// The values of the locked parameters, where the sidecar sets any.
    locked_values: Settings,
    plugin: PluginUse,
    /// These layers as they would be with the plugin. `None` if the plugin is in use already, or if a setting for Jobs is invalid.
    with_plugin: Option<Box<Self>>,
}

/// Whether the plugin rewrites the Jobs. If it does not, parameters for Jobs have no effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PluginUse {
    /// The plugin rewrites the Jobs.
    #[default]
    Used,
    /// Argo CD renders the Application itself, so the config file has no effect, either.
    Native,
    /// The Jobs stay as they are written. Which Application renders them is unknown, or does not matter.
    AsWritten,
}

/// Whether the plugin is to rewrite the Jobs of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WithPlugin {
    /// The plugin rewrites them.
    #[default]
    Yes,
    /// They stay as they are written.
    No,
    /// The plugin rewrites them if something configures it: a setting for Jobs in any layer, or a config file. A config file that only ignores findings or
    /// names the version of Argo CD is for `check`, and does not count.
    IfConfigured,
}

/// All layers as texts. Only the annotations are missing: each Job has its own.
#[derive(Clone, Copy, Debug)]
pub struct RawLayers<'t> {
    /// The whole environment of the program.
    pub environment: &'t BTreeMap<String, String>,
    /// The file `.argocd-jobs.yaml`, if there is one.
    pub config_file: Option<&'t ConfigText>,
    /// The value of `ARGOCD_APP_PARAMETERS`, when it is set for this program.
    pub application_parameters: Option<&'t str>,
    /// The parameters on the command line, in the order in which they were typed.
    pub command_line: &'t [CliParameter],
    /// True when the command line comes from a case of `argocd-jobs test`: then it may set only parameters that an
    /// Application can set.
    pub in_a_case: bool,
    /// The settings of an Application that Argo CD renders itself. Its Jobs stay as they are: the config file, the
    /// plugin's variables and annotations have no effect; the caller leaves the variables out. With [`WithPlugin::Yes`] the result is what the plugin
    /// would do.
    pub native: Option<&'t Settings>,
    /// Whether the plugin rewrites the Jobs. If it does not, parameters for Jobs have no
    /// effect in any layer, including annotations; the config file can only ignore findings and name the version of Argo CD. Parameters for
    /// rendering in the other layers do have an effect.
    pub with_plugin: WithPlugin,
}

impl Default for RawLayers<'_> {
    /// No layer sets anything.
    fn default() -> Self {
        static NO_VARIABLES: BTreeMap<String, String> = BTreeMap::new();
        Self {
            environment: &NO_VARIABLES,
            config_file: None,
            application_parameters: None,
            command_line: &[],
            in_a_case: false,
            native: None,
            with_plugin: WithPlugin::Yes,
        }
    }
}

impl PluginUse {
    /// Whether the parameter has an effect. For `Native`, the command line is not asked.
    fn lets_count(self, parameter: &Parameter) -> bool {
        match self {
            Self::Used => true,
            Self::Native => parameter.scope == Scope::Platform || parameter.id == Id::ArgoCdVersion,
            Self::AsWritten => !parameter.is_about_jobs(),
        }
    }
}

impl<'t> RawLayers<'t> {
    /// Whether the plugin rewrites the Jobs; `is_configured` says whether something configures it.
    fn plugin(&self, is_configured: bool) -> PluginUse {
        match (self.with_plugin, self.native) {
            (WithPlugin::Yes, _) => PluginUse::Used,
            (WithPlugin::IfConfigured, _) if is_configured => PluginUse::Used,
            (_, Some(_)) => PluginUse::Native,
            (_, None) => PluginUse::AsWritten,
        }
    }

    /// The value of `ARGOCD_APP_PARAMETERS`, in which Argo CD passes the Application's parameters to a plugin.
    pub fn application_parameters_in(environment: &'t BTreeMap<String, String>) -> Option<&'t str> {
        environment.get(VARIABLE).map(String::as_str)
    }
}

/// A parameter on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliParameter {
    /// The name of the parameter in the table.
    pub name: String,
    /// The name as the user typed it: `--ttl`, or the name after `--set`.
    pub written: String,
    /// The value, not yet parsed.
    pub value: CliValue,
}

impl CliParameter {
    /// The parameter `name` that is set by a flag, written without its dashes.
    pub fn by_flag(flag: &str, name: &str, value: impl Into<CliValue>) -> Self {
        Self { name: name.to_owned(), written: format!("--{flag}"), value: value.into() }
    }
}

/// The value of a parameter on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CliValue {
    /// The text as typed. The parser of the parameter splits a list or a map at its commas.
    Text(String),
    /// A list whose items may contain commas.
    List(Vec<String>),
    /// A map whose values may contain commas.
    Map(BTreeMap<String, String>),
}

impl<T: Into<String>> From<T> for CliValue {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

impl CliValue {
    fn raw(&self) -> RawValue {
        match self {
            Self::Text(text) => RawValue::Bare(text.clone()),
            Self::List(items) => RawValue::List(items.clone()),
            Self::Map(map) => RawValue::Map(map.clone()),
        }
    }
}

/// The merged settings for one Job, including its annotations.
#[derive(Clone, Debug)]
pub struct ForJob {
    /// What the strategies read, with defaults filled in.
    pub options: Options,
    /// The values that are set, each with its provenance.
    pub settings: Settings,
    /// The values that have no effect because their parameters are locked.
    pub overruled: Vec<Overruled>,
}

/// A value that has no effect because its parameter is locked.
#[derive(Clone, Debug)]
pub struct Overruled {
    /// The locked parameter.
    pub id: Id,
    /// The locked field, when the parameter is a block.
    pub field: Option<&'static str>,
    /// The value without effect, and its provenance.
    pub setting: Arc<AnySetting>,
}

// `derive(PartialEq)` does not compile for an `Arc` of a trait object (rust-lang/rust#31740).
impl PartialEq for Overruled {
    fn eq(&self, other: &Self) -> bool {
        (self.id, self.field) == (other.id, other.field) && *self.setting == *other.setting
    }
}

impl Overruled {
    /// The name of the locked parameter, or the path of the locked field.
    pub fn name(&self) -> Cow<'static, str> {
        let name = self.id.parameter().name;
        self.field.map_or(name.into(), |field| format!("{name}.{field}").into())
    }

    /// The setting in `settings` that has its effect instead; `None` when the default applies.
    pub fn applied<'s>(&self, settings: &'s SetValues) -> Option<&'s AnySetting> {
        let setting = settings.get(self.id)?;
        self.field.map_or(Some(setting), |field| setting.value.field(field))
    }
}

impl Layers {
    /// Parses all layers; returns the first error.
    pub fn read(texts: &RawLayers<'_>) -> Result<Self, Error> {
        let FromEnvironment { mut sidecar, application: from_plugin_env, mut locked } =
            environment::read(texts.environment)?;
        let parse = |file: &ConfigText| ConfigFile::parse(&file.text).map_err(|error| error.in_config_file(&file.path));
        let mut file = texts.config_file.map(parse).transpose()?.unwrap_or_default();
        let parameters = match texts.native {
            Some(native) => native.clone(),
            None => application_parameters::read(texts.application_parameters.unwrap_or(""))?,
        };
        let mut command_line = Settings::default();
        let position = if texts.in_a_case { Position::Application } else { Position::Platform };
        for typed in texts.command_line {
            let by = Provenance::CommandLine(typed.written.clone());
            let prefix = typed.written.strip_suffix(&typed.name).unwrap_or("");
            let spell = |known: &Parameter| format!("{prefix}{}", known.name);
            set(&mut command_line, &typed.name, position, &typed.value.raw(), by, spell)?;
        }
        let mut application = command_line.with_fields().over(&parameters).over(&from_plugin_env);
        let is_configured = [&sidecar, &application].into_iter().any(has_one_for_jobs)
            || texts.config_file.is_some() && file.is_for_the_plugin();
        let plugin = texts.plugin(is_configured);
        let counting = Parameter::names(|row| plugin.lets_count(row));
        if plugin != PluginUse::Used {
            sidecar = sidecar.only(&counting, &Clone::clone);
        }
        match plugin {
            PluginUse::Used => {}
            PluginUse::Native => {
                locked.clear();
                file.unset();
            }
            PluginUse::AsWritten => {
                locked.retain(|id, _| counting.contains_key(id));
                file.keep_only(|row| row.id == Id::ArgoCdVersion);
                application = application.only(&counting, &Clone::clone);
            }
        }
        let locked_values = sidecar.only(&locked, &|by| Provenance::Locked(by.name().to_owned()));
        let config_file = texts.config_file.map(|file| file.path.clone());
        let with_plugin = match plugin {
            PluginUse::Used => None,
            _ => Self::read(&RawLayers { with_plugin: WithPlugin::Yes, ..*texts }).ok().map(Box::new),
        };
        let layers = Self { sidecar, file, config_file, application, locked, locked_values, plugin, with_plugin };
        layers.above_jobs().check().map_err(|error| match layers.config_file() {
            Some(path) => error.in_config_file(path),
            None => error,
        })?;
        Ok(layers)
    }

    /// The merged values of all layers above the annotations, each with its provenance.
    pub fn above_jobs(&self) -> Settings {
        self.lock(self.application.clone().over(&self.file.top).over(&self.sidecar)).0
    }

    /// The settings of the Application, with defaults filled in.
    pub fn application(&self) -> ApplicationSettings {
        let settings = self.above_jobs().application();
        match self.plugin {
            PluginUse::Used => settings,
            PluginUse::Native => {
                let argocd_version = settings.output.argocd_version;
                let output =
                    Output { empty: Empty::Allowed, trigger: Trigger::No, argocd_version, ..Output::default() };
                ApplicationSettings { output, is_native: true, ..settings }
            }
            PluginUse::AsWritten => {
                let output = Output { trigger: Trigger::No, ..settings.output };
                ApplicationSettings { output, ..settings }
            }
        }
    }

    /// The merged settings for `job`. `namespace` is used for a Job whose manifest names none.
    pub fn for_job(&self, job: &Job, namespace: Option<&str>) -> Result<ForJob, Error> {
        let namespace = job.namespace().or(namespace).unwrap_or("");
        if self.plugin != PluginUse::Used {
            let mut settings = Settings::default();
            let keep = RawValue::Bare("keep".to_owned());
            set(&mut settings, STRATEGY, Position::Application, &keep, Provenance::Native, |known| {
                known.name.to_owned()
            })?;
            return Ok(ForJob { options: settings.options(job, namespace), settings, overruled: Vec::new() });
        }
        let mut settings = annotation::read(job)?.over(&self.application);
        for rule in self.file.rules.iter().filter(|rule| rule.matches.holds(job, namespace)) {
            settings = settings.over(&rule.settings);
        }
        let (settings, overruled) = self.lock(settings.over(&self.file.top).over(&self.sidecar));
        let options = settings.options(job, namespace);
        Ok(ForJob { options, settings, overruled })
    }

    /// Replaces the value of each locked parameter by the sidecar's value, or removes it when the sidecar sets none.
    fn lock(&self, mut settings: Settings) -> (Settings, Vec<Overruled>) {
        let mut overruled = Vec::new();
        for (id, fields) in &self.locked {
            for (field, setting) in settings.lock(*id, fields, &self.locked_values) {
                if !matches!(setting.by, Provenance::Sidecar(_)) {
                    overruled.push(Overruled { id: *id, field, setting });
                }
            }
        }
        (settings, overruled)
    }

    /// All ids of findings that the config file ignores, at the top level and in rules.
    pub fn all_ignored(&self) -> impl Iterator<Item = &Ignore> {
        self.file.all_ignored()
    }

    /// Whether the config file ignores findings with this id, for all resources or for this Job. `namespace` is used
    /// for a Job whose manifest names none.
    pub fn ignores(&self, id: &str, job: Option<&Job>, namespace: Option<&str>) -> bool {
        let has = |ids: &[Ignore]| ids.iter().any(|ignore| ignore.id == id);
        has(&self.file.ignore)
            || job.is_some_and(|job| {
                let namespace = job.namespace().or(namespace).unwrap_or("");
                self.file.rules.iter().any(|rule| has(&rule.ignore) && rule.matches.holds(job, namespace))
            })
    }

    /// Whether the plugin rewrites the Jobs.
    pub fn plugin(&self) -> PluginUse {
        self.plugin
    }

    /// These layers as they would be with the plugin. `None` if the plugin is in use already, or if a setting for Jobs is invalid.
    pub fn with_plugin(&self) -> Option<&Self> {
        self.with_plugin.as_deref()
    }

    /// The path of the config file that messages show; `None` when there is no config file.
    pub fn config_file(&self) -> Option<&Path> {
        self.config_file.as_deref()
    }
}

/// Whether a setting is about Jobs, and not about how the manifests are rendered.
fn has_one_for_jobs(settings: &Settings) -> bool {
    settings.iter().any(|(id, _)| id.parameter().is_about_jobs())
}
