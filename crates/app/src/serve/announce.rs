//! Log lines at the start: which parts are on, and which variables switch on the others.

use adapters_mailerlite::Settings;

use crate::{
    args::{EnricherKind, WorkArgs},
    misconfigured::Misconfigured,
};

/// Logs a line for each part. `work` is `None` without a worker. `has_webhook_secret` is `None`
/// without the API.
pub fn parts(
    work: Option<&WorkArgs>,
    has_webhook_secret: Option<bool>,
) -> Result<(), Misconfigured> {
    let kind = work.map(|work| work.enricher.kind()).transpose()?;
    tracing::info!("{}", enricher(kind.as_ref()));
    let accounts = work.map(|work| work.accounts.settings());
    tracing::info!("{}", newsletter(accounts.as_ref(), has_webhook_secret));
    Ok(())
}

fn enricher(kind: Option<&EnricherKind>) -> String {
    match kind {
        None => "enricher: none (no worker runs here)".to_owned(),
        Some(EnricherKind::Builtin) => "enricher: builtin".to_owned(),
        Some(EnricherKind::Llm(model, _)) => {
            // A query may hold a secret.
            let host = model.base_url.host_str().unwrap_or_default();
            format!("enricher: llm, {} at {host}", model.model)
        }
    }
}

fn newsletter(accounts: Option<&Settings>, has_webhook_secret: Option<bool>) -> String {
    let mut parts = Vec::new();
    if let Some(accounts) = accounts {
        parts.push(part("old account", accounts.old.is_some(), "OLD_API_KEY"));
        parts.push(part("new account", accounts.new.is_some(), "NEW_API_KEY"));
    } else {
        parts.push("accounts off (no worker runs here)".to_owned());
    }
    parts.extend(has_webhook_secret.map(|is_on| part("webhook", is_on, "WEBHOOK_SECRET")));
    format!("newsletter: {}", parts.join(", "))
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
    use std::num::NonZeroU32;

    use adapters_mailerlite::{AccountSettings, DEFAULT_BASE_URL};

    use super::*;

    #[test]
    fn disabled_features_are_logged_with_their_variable() {
        let some = Settings {
            old: Some(AccountSettings {
                key: "sesame".into(),
                base_url: DEFAULT_BASE_URL.parse().unwrap(),
                group: None,
            }),
            new: None,
            requests_per_minute: NonZeroU32::MIN,
        };
        let off = "newsletter: old account on, new account off (no \
                   POSTHASTE_MAILERLITE_NEW_API_KEY)";
        assert_eq!(newsletter(Some(&some), None), off);
        let webhook = "webhook off (no POSTHASTE_MAILERLITE_WEBHOOK_SECRET)";
        assert_eq!(
            newsletter(Some(&some), Some(false)),
            format!("{off}, {webhook}")
        );
        let alone = "newsletter: accounts off (no worker runs here), webhook on";
        assert_eq!(newsletter(None, Some(true)), alone);
        assert_eq!(enricher(None), "enricher: none (no worker runs here)");
        assert_eq!(enricher(Some(&EnricherKind::Builtin)), "enricher: builtin");
    }
}
