//! The type of the parameter `argocd-version`.

use kube_jobs::argocd::Version;

use super::parameter::ValueType;
use super::parse::{ParameterType, ParseError, bad, string};
use super::value::{DisplayValue, RawValue, SettingValue};

/// A version of Argo CD. It is not a number: `3.10` and `3.1` are different versions.
pub(super) struct VersionOfArgoCd;

impl ParameterType for VersionOfArgoCd {
    type Value = Version;
    const VALUE_TYPE: ValueType =
        ValueType::Text { pattern: Some("^v?[0-9]+\\.[0-9]+(\\.[0-9]+)?(\\+[0-9A-Za-z]+)?$") };

    fn parse(raw: &RawValue) -> Result<Version, ParseError> {
        let text = string(raw)?;
        Version::parse(text).ok_or_else(|| bad(text))
    }
}

impl SettingValue for Version {
    fn display(&self) -> DisplayValue<'_> {
        DisplayValue::Text(self.to_string().into())
    }
}
