//! Checks the endpoints that workers call: the e-mail provider's accounts and the model.

use std::time::Duration;

use adapters_llm::{self as llm, ChatModel, SettingsError};
use adapters_mailerlite::preflight::{self, Expected};
use newsletter::subscriber::{Account, provider::Provider};

use super::check::{CHECK_TIMEOUT, Check, TIMEOUTS, within};
use crate::{
    args::EnricherKind,
    misconfigured::Misconfigured,
    output,
    serve::{Serve, provider, webhooks},
};

const NEWSLETTER: &str = "newsletter";
const MODEL: &str = "model";
const DELIVERIES: &str = "deliveries";
const CERTIFICATES: &str = "install the certificates that this machine trusts";

/// The time limit for an account, which gets several requests: they are slow while workers use up
/// the rate limit.
const ACCOUNT_TIMEOUT: Duration = Duration::from_mins(1);

pub async fn look(options: &Serve) -> anyhow::Result<Vec<Check>> {
    let webhooks = webhooks(options);
    if options.no_worker {
        let message = "not checked: no worker runs here";
        let [newsletter, model] = [NEWSLETTER, MODEL].map(|name| Check::good(name, message));
        return Ok(vec![webhooks, newsletter, model]);
    }
    let enricher = options.work.enricher.kind()?;
    let (newsletter, model) = tokio::join!(newsletter(options), model(&enricher));
    let mut checks = vec![webhooks];
    checks.extend(newsletter?);
    checks.push(model?);
    Ok(checks)
}

fn webhooks(options: &Serve) -> Check {
    let client = webhooks::client(options.work.addresses.private);
    let problem = match &client {
        Ok(client) => client.https_problem().map(str::to_owned),
        Err(error) => Some(output::in_one_line(error)),
    };
    match problem {
        None => Check::good(DELIVERIES, "receivers can be called over https"),
        Some(problem) => Check::wrong(
            DELIVERIES,
            format!("no receiver can be called over https: {problem}"),
            CERTIFICATES,
        ),
    }
}

async fn newsletter(options: &Serve) -> anyhow::Result<Vec<Check>> {
    let accounts = &options.work.accounts;
    let provider = match provider::connect(&accounts.settings(), Some(TIMEOUTS)) {
        Ok(provider) => provider,
        Err(error) if error.is::<Misconfigured>() => return Err(error),
        Err(error) => {
            let message = output::in_one_line(&error);
            return Ok(vec![Check::wrong(NEWSLETTER, message, CERTIFICATES)]);
        }
    };
    let with_key = provider.accounts();
    if with_key.is_empty() {
        let off = "off: no account has an API key";
        return Ok(vec![Check::good(NEWSLETTER, off)]);
    }
    let expected = Expected {
        requests_per_minute: accounts.requests_per_minute.get(),
        may_lack_group: accounts.has_group(),
    };
    let (old, new) = tokio::join!(
        account(&*provider, Account::Old, expected),
        account(&*provider, Account::New, expected)
    );
    let mut checks = [old, new].concat();
    checks.push(if options.newsletter.webhook_secrets.is_empty() {
        Check::wrong(
            NEWSLETTER,
            "without a secret the webhook accepts nothing",
            "set POSTHASTE_MAILERLITE_WEBHOOK_SECRET to the secrets of the accounts' webhooks",
        )
    } else {
        Check::good(NEWSLETTER, "the webhook has a secret")
    });
    Ok(checks)
}

async fn account(provider: &dyn Provider, account: Account, expected: Expected) -> Vec<Check> {
    if !provider.accounts().contains(&account) {
        let message = format!("{account} account: no API key, so its calls wait");
        return vec![Check::good(NEWSLETTER, message)];
    }
    let findings = async { Ok(preflight::inspect(provider, account, expected).await) };
    match within(ACCOUNT_TIMEOUT, findings).await {
        Ok(findings) => {
            let findings = findings.into_iter();
            findings
                .map(|finding| Check::new(NEWSLETTER, finding))
                .collect()
        }
        Err(error) => {
            let message = format!("{account} account: {error}");
            vec![Check::wrong(NEWSLETTER, message, preflight::UNREACHABLE)]
        }
    }
}

/// Checks that the model's endpoint answers, without paying for an answer.
async fn model(enricher: &EnricherKind) -> anyhow::Result<Check> {
    let EnricherKind::Llm(settings, _) = enricher else {
        return Ok(Check::good(MODEL, "none: the enricher is `builtin`"));
    };
    let settings = llm::Settings {
        timeout: CHECK_TIMEOUT,
        ..(**settings).clone()
    };
    let host = settings.base_url.host_str().unwrap_or_default().to_owned();
    let model = match ChatModel::new(&settings) {
        Ok(model) => model,
        Err(error @ (SettingsError::BaseUrl | SettingsError::Key)) => {
            return Err(Misconfigured(error.to_string()).into());
        }
        Err(error @ SettingsError::Client(_)) => {
            return Ok(Check::wrong(MODEL, error.to_string(), CERTIFICATES));
        }
    };
    Ok(match model.reach().await {
        Ok(answer) => Check::good(MODEL, format!("{} at {host}: {answer}", settings.model)),
        Err(why) => Check::wrong(
            MODEL,
            format!("{} at {host}: {why}", settings.model),
            "check that POSTHASTE_LLM_BASE_URL and POSTHASTE_LLM_API_KEY are right, and that the \
             endpoint can be reached from this machine",
        ),
    })
}
