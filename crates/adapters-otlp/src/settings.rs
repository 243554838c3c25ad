//! The standard environment variables, and the checks of their values.

use std::{env, time::Duration};

use url::Url;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub timeout: Duration,
    pub is_tls: bool,
}

/// The error does not contain the value, because headers contain keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {reason}")]
pub struct SettingsError {
    variable: &'static str,
    reason: String,
}

/// The default of the OpenTelemetry specification.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The samplers of the specification that the SDK supports.
const SAMPLERS: [&str; 6] = [
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
];

type Check = fn(&str) -> Result<(), String>;

/// If a check has several names, the first variable that is set counts.
const CHECKS: [(&[&str], Check); 21] = [
    (
        &[
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
            "OTEL_EXPORTER_OTLP_PROTOCOL",
        ],
        |protocol| {
            let why = "must be `http/protobuf`; gRPC and JSON are not supported";
            must(protocol == "http/protobuf", why)
        },
    ),
    (
        &[
            "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
            "OTEL_EXPORTER_OTLP_COMPRESSION",
        ],
        |compression| must(compression == "none", "must be `none`"),
    ),
    (&["OTEL_EXPORTER_OTLP_TRACES_HEADERS"], pairs),
    (&["OTEL_EXPORTER_OTLP_HEADERS"], pairs),
    (&["OTEL_RESOURCE_ATTRIBUTES"], pairs),
    (&["OTEL_EXPORTER_OTLP_CERTIFICATE"], unsupported),
    (&["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"], unsupported),
    (&["OTEL_EXPORTER_OTLP_CLIENT_KEY"], unsupported),
    (&["OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE"], unsupported),
    (
        &["OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE"],
        unsupported,
    ),
    (&["OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY"], unsupported),
    (&["OTEL_BSP_SCHEDULE_DELAY"], number),
    (&["OTEL_BSP_EXPORT_TIMEOUT"], number),
    (&["OTEL_BSP_MAX_QUEUE_SIZE"], number),
    (&["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"], number),
    (&["OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"], number),
    (&["OTEL_SPAN_EVENT_COUNT_LIMIT"], number),
    (&["OTEL_SPAN_LINK_COUNT_LIMIT"], number),
    (&["OTEL_EXPORTER_OTLP_TIMEOUT"], number),
    (&["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"], number),
    (&["OTEL_TRACES_SAMPLER"], |sampler| {
        let is_known = SAMPLERS.contains(&sampler);
        must(is_known, &format!("must be one of {}", SAMPLERS.join(", ")))
    }),
];

impl Settings {
    /// Returns `None` if no endpoint is set, or traces are disabled.
    pub fn from_env() -> Result<Option<Self>, SettingsError> {
        Self::of(|name| env::var(name).ok())
    }

    fn of(
        variable: impl Fn(&'static str) -> Option<String>,
    ) -> Result<Option<Self>, SettingsError> {
        // The specification says that an empty value counts as unset.
        let value = |name: &'static str| {
            let value = variable(name).map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let first = |names: [&'static str; 2]| {
            let mut found = names.into_iter().map(|name| (name, value(name)));
            found.find_map(|(name, value)| Some((name, value?)))
        };
        let is_disabled = value("OTEL_SDK_DISABLED");
        if is_disabled.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return Ok(None);
        }
        match value("OTEL_TRACES_EXPORTER").as_deref() {
            None | Some("otlp") => {}
            Some("none") => return Ok(None),
            Some(_) => return refuse("OTEL_TRACES_EXPORTER", "must be `otlp` or `none`"),
        }
        let endpoint = first([
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
        ]);
        let Some((name, endpoint)) = endpoint else {
            return Ok(None);
        };
        let is_tls = is_tls(name, &endpoint)?;
        for (names, check) in CHECKS {
            let set = names.iter().find_map(|name| Some((*name, value(name)?)));
            if let Some((name, value)) = set {
                check(&value).or_else(|reason| refuse(name, reason))?;
            }
        }
        let ratio = value("OTEL_TRACES_SAMPLER_ARG").map(|ratio| ratio.parse::<f64>());
        if value("OTEL_TRACES_SAMPLER").is_some_and(|sampler| sampler.ends_with("traceidratio"))
            && ratio.is_some_and(|ratio| !ratio.is_ok_and(|ratio| (0.0..=1.0).contains(&ratio)))
        {
            return refuse("OTEL_TRACES_SAMPLER_ARG", "must be a number from 0 to 1");
        }
        let timeout = first([
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
            "OTEL_EXPORTER_OTLP_TIMEOUT",
        ]);
        let timeout = timeout.and_then(|(_, millis)| millis.parse().ok());
        Ok(Some(Self {
            timeout: timeout.map_or(TIMEOUT, Duration::from_millis),
            is_tls,
        }))
    }
}

fn refuse<T>(variable: &'static str, reason: impl Into<String>) -> Result<T, SettingsError> {
    let reason = reason.into();
    Err(SettingsError { variable, reason })
}

fn is_tls(variable: &'static str, endpoint: &str) -> Result<bool, SettingsError> {
    match Url::parse(endpoint) {
        Ok(url) if url.scheme() == "http" => Ok(false),
        Ok(url) if url.scheme() == "https" => Ok(true),
        Ok(_) => refuse(variable, "must begin with http:// or https://"),
        Err(error) => refuse(
            variable,
            format!("not a URL such as http://collector:4318: {error}"),
        ),
    }
}

fn must(is_usable: bool, otherwise: &str) -> Result<(), String> {
    is_usable.then_some(()).ok_or_else(|| otherwise.to_owned())
}

fn number(text: &str) -> Result<(), String> {
    must(text.parse::<u32>().is_ok(), "must be a whole number")
}

/// Refuses variables that the SDK would ignore.
fn unsupported(_: &str) -> Result<(), String> {
    must(
        false,
        "is not supported: the system's certificates are used",
    )
}

/// Checks a list such as `name=value,other=value`.
fn pairs(list: &str) -> Result<(), String> {
    let is_pair = |pair: &str| {
        let name = pair.split_once('=').map(|(name, _)| name.trim());
        name.is_some_and(|name| !name.is_empty())
    };
    let mut pairs = list.split(',').filter(|pair| !pair.trim().is_empty());
    must(
        pairs.all(is_pair),
        "must be a list such as name=value,other=value",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");

    fn settings(variables: &[(&str, &str)]) -> Result<Option<Settings>, String> {
        let settings = Settings::of(|name| {
            let mut variables = variables.iter();
            let found = variables.find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        settings.map_err(|error| error.to_string())
    }

    #[test]
    fn traces_are_on_if_an_endpoint_is_named_and_nothing_speaks_against_it() {
        for (variables, is_on) in [
            (&[][..], false),
            (&[("OTEL_SERVICE_NAME", "jobs")], false),
            (&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")], false),
            (&[ENDPOINT], true),
            (
                &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c/x")],
                true,
            ),
            (&[ENDPOINT, ("OTEL_SDK_DISABLED", "TRUE")], false),
            (&[ENDPOINT, ("OTEL_SDK_DISABLED", "false")], true),
            (&[ENDPOINT, ("OTEL_TRACES_EXPORTER", "none")], false),
            (&[ENDPOINT, ("OTEL_TRACES_EXPORTER", "otlp")], true),
        ] {
            let settings = settings(variables).unwrap();
            assert_eq!(settings.is_some(), is_on, "{variables:?}");
        }
    }

    #[test]
    fn the_more_specific_variable_counts() {
        let expect = Settings {
            timeout: Duration::from_millis(250),
            is_tls: true,
        };
        let variables = [
            ENDPOINT,
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "9000"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "250"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b,x=y=z"),
            ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "0.25"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "none"),
        ];
        assert_eq!(settings(&variables), Ok(Some(expect)));
    }

    #[test]
    fn a_value_that_cannot_be_used_is_refused_by_the_name_of_its_variable() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector:4318"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "not a url"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "secret"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s"),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "-1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "=x"),
            ("OTEL_TRACES_EXPORTER", "jaeger"),
            ("OTEL_TRACES_SAMPLER", "sometimes"),
        ] {
            let error = settings(&[ENDPOINT, (name, value)]).unwrap_err();
            assert!(error.starts_with(&format!("{name}: ")), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
        for argument in ["2", "-0.1", "half", "NaN"] {
            let error = settings(&[
                ENDPOINT,
                ("OTEL_TRACES_SAMPLER", "traceidratio"),
                ("OTEL_TRACES_SAMPLER_ARG", argument),
            ]);
            let error = error.unwrap_err();
            assert!(error.starts_with("OTEL_TRACES_SAMPLER_ARG: "), "{error}");
        }
    }
}
