//! Log lines at the start: which parts are on, and which variables switch on the others.

use adapters_mailerlite::Settings as ProviderSettings;

use crate::config::EnricherKind;

/// The optional parts of a process.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The enricher and the provider's accounts; `None` without a worker.
    pub worker: Option<(&'a EnricherKind, &'a ProviderSettings)>,
    /// Whether the webhook has a secret; `None` in a process without the API.
    pub has_webhook_secret: Option<bool>,
}

impl Parts<'_> {
    /// Logs a line for each subject.
    pub fn announce(self) {
        tracing::info!("{}", self.enricher());
        tracing::info!("{}", self.newsletter());
    }

    fn enricher(self) -> String {
        match self.worker {
            None => "enricher: none, for no worker runs here".to_owned(),
            Some((EnricherKind::Builtin, _)) => "enricher: builtin".to_owned(),
            Some((EnricherKind::Llm(settings), _)) => {
                let model = &settings.model;
                // A query may hold a secret.
                let host = model.base_url.host_str().unwrap_or_default();
                format!("enricher: llm, {} at {host}", model.model)
            }
        }
    }

    fn newsletter(self) -> String {
        let mut parts = Vec::new();
        if let Some((_, accounts)) = self.worker {
            let keys = [
                ("old account", accounts.old.is_some(), "OLD_API_KEY"),
                ("new account", accounts.new.is_some(), "NEW_API_KEY"),
            ];
            parts.extend(keys.map(|(name, is_on, variable)| part(name, is_on, variable)));
        } else {
            parts.push("accounts off (no worker runs here)".to_owned());
        }
        let webhook = self.has_webhook_secret;
        parts.extend(webhook.map(|is_on| part("webhook", is_on, "WEBHOOK_SECRET")));
        format!("newsletter: {}", parts.join(", "))
    }
}

fn part(name: &str, is_on: bool, variable: &str) -> String {
    if is_on {
        format!("{name} on")
    } else {
        format!("{name} off (no POSTHASTE_MAILERLITE_{variable})")
    }
}

#[cfg(test)]
mod tests {
    use adapters_mailerlite::{AccountSettings, DEFAULT_BASE_URL};

    use super::*;
    use crate::provider;

    #[test]
    fn what_is_off_is_told_with_the_variable_that_switches_it_on() {
        let some = ProviderSettings {
            old: Some(AccountSettings {
                key: "sesame".into(),
                base_url: DEFAULT_BASE_URL.parse().unwrap(),
                group: None,
            }),
            ..provider::none()
        };
        for (parts, enricher, newsletter) in [
            (
                Parts {
                    worker: Some((&EnricherKind::Builtin, &some)),
                    has_webhook_secret: Some(false),
                },
                "builtin",
                "old account on, new account off (no POSTHASTE_MAILERLITE_NEW_API_KEY), webhook \
                 off (no POSTHASTE_MAILERLITE_WEBHOOK_SECRET)",
            ),
            (
                Parts {
                    worker: Some((&EnricherKind::Builtin, &provider::none())),
                    has_webhook_secret: None,
                },
                "builtin",
                "old account off (no POSTHASTE_MAILERLITE_OLD_API_KEY), new account off (no \
                 POSTHASTE_MAILERLITE_NEW_API_KEY)",
            ),
            (
                Parts {
                    worker: None,
                    has_webhook_secret: Some(true),
                },
                "none, for no worker runs here",
                "accounts off (no worker runs here), webhook on",
            ),
        ] {
            assert_eq!(parts.enricher(), format!("enricher: {enricher}"));
            assert_eq!(parts.newsletter(), format!("newsletter: {newsletter}"));
        }
    }
}
