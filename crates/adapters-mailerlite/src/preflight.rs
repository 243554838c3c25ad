use std::fmt;

use newsletter::subscriber::{
    Account,
    provider::{Inspection, Provider},
};

/// The required fields: the provider silently ignores fields that an account does not have.
const FIELDS: [(&str, &str); 5] = [
    ("name", "text"),
    ("country", "text"),
    ("membership_plan_category", "text"),
    ("member_status", "text"),
    ("membership_expire_at", "date"),
];

/// The required webhook events. Without them, suppressions are noticed only at night, when the
/// lists are read.
const EVENTS: [&str; 3] = [
    "subscriber.unsubscribed",
    "subscriber.bounced",
    "subscriber.spam_reported",
];

/// Without this event, a deletion is noticed only at the next sync.
const DELETED: &str = "subscriber.deleted";

const WEBHOOK: &str = "/api/webhooks/newsletter/update-subscriber-status";

pub const UNREACHABLE: &str = "check its API key, and that this machine can reach its API";

#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub requests_per_minute: u32,
    /// Whether subscribers may be moved without joining a group.
    pub may_lack_group: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub text: String,
    /// The fix; `None` if the check passed.
    pub remedy: Option<String>,
}

impl Finding {
    pub fn good(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            remedy: None,
        }
    }

    pub fn wrong(text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            remedy: Some(remedy.into()),
        }
    }

    pub const fn is_good(&self) -> bool {
        self.remedy.is_none()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.remedy {
            None => Ok(()),
            Some(remedy) => write!(f, ": {remedy}"),
        }
    }
}

/// Checks each account that has a key. An account without a key is a failed check.
pub async fn newsletter(provider: &dyn Provider, expected: Expected) -> Vec<Finding> {
    let with_key = provider.accounts();
    let mut findings = Vec::new();
    for &account in Account::ALL {
        if with_key.contains(&account) {
            findings.extend(inspect(provider, account, expected).await);
        } else {
            findings.push(without_key(account));
        }
    }
    findings
}

pub async fn inspect(
    provider: &dyn Provider,
    account: Account,
    expected: Expected,
) -> Vec<Finding> {
    match provider.inspect(account).await {
        Ok(inspection) => compare(account, &inspection, expected),
        // The error names the account.
        Err(error) => vec![Finding::wrong(error.to_string(), UNREACHABLE)],
    }
}

const fn variable(account: Account) -> &'static str {
    match account {
        Account::Old => "POSTHASTE_MAILERLITE_OLD_API_KEY",
        Account::New => "POSTHASTE_MAILERLITE_NEW_API_KEY",
    }
}

fn without_key(account: Account) -> Finding {
    Finding::wrong(
        format!("{account} account: no API key, so nothing is sent there"),
        format!("set {}", variable(account)),
    )
}

fn compare(account: Account, inspection: &Inspection, expected: Expected) -> Vec<Finding> {
    let findings = [
        Some(Finding::good(people(inspection))),
        Some(fields(inspection)),
        group(account, inspection, expected),
        Some(webhook(inspection)),
        Some(limit(inspection, expected)),
    ];
    let findings = findings.into_iter().flatten();
    findings
        .map(|finding| Finding {
            text: format!("{account} account: {}", finding.text),
            ..finding
        })
        .collect()
}

fn people(inspection: &Inspection) -> String {
    match inspection.people {
        Some(people) => format!(
            "the key works; the account has {people} subscribers (check yourself that its plan \
             has room for more: the API does not report it)"
        ),
        None => "the key works; the provider reports no number of subscribers".to_owned(),
    }
}

fn fields(inspection: &Inspection) -> Finding {
    let mut wrong = Vec::new();
    for (key, kind) in FIELDS {
        match inspection.fields.get(key) {
            Some(found) if found == kind => {}
            Some(found) => wrong.push(format!("{key} is of type {found}, not {kind}")),
            None => wrong.push(format!("{key} ({kind}) is missing")),
        }
    }
    if wrong.is_empty() {
        Finding::good("all fields exist")
    } else {
        let wrong = wrong.join(", ");
        Finding::wrong(
            format!("{wrong}, so values written to it are lost"),
            "create a field with this key and type in the account",
        )
    }
}

/// Checks the group, which only the new account has.
fn group(account: Account, inspection: &Inspection, expected: Expected) -> Option<Finding> {
    if account == Account::Old {
        return None;
    }
    Some(match inspection.has_group {
        Some(true) => Finding::good("the group exists"),
        Some(false) => Finding::wrong(
            "there is no group with the id in POSTHASTE_MAILERLITE_NEW_GROUP_ID",
            "set it to the id of a group of this account",
        ),
        None if expected.may_lack_group => {
            Finding::good("people are moved without a group, so no chain of e-mails starts")
        }
        None => Finding::wrong(
            "POSTHASTE_MAILERLITE_NEW_GROUP_ID is not set, so no chain of e-mails starts",
            "set it to the group's id, or to `none` to move people without one",
        ),
    })
}

fn webhook(inspection: &Inspection) -> Finding {
    let ours = inspection.webhooks.iter();
    let ours: Vec<_> = ours
        .filter(|webhook| webhook.is_enabled && webhook.url.ends_with(WEBHOOK))
        .collect();
    let is_missing = |event: &str| {
        let mut events = ours.iter().flat_map(|webhook| &webhook.events);
        !events.any(|sent| sent == event)
    };
    let missing: Vec<_> = EVENTS.into_iter().filter(|one| is_missing(one)).collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return Finding::wrong(
            format!("no enabled webhook to …{WEBHOOK} reports {missing}"),
            "create one for these events, or enable it",
        );
    }
    let mut text = "its webhook reports suppressions".to_owned();
    if is_missing(DELETED) {
        let hint = format!(
            "; {DELETED} is worth adding, with `\"batchable\": true`: it reports deleted \
             subscribers at once"
        );
        text.push_str(&hint);
    }
    Finding::good(text)
}

fn limit(inspection: &Inspection, expected: Expected) -> Finding {
    let asked = expected.requests_per_minute;
    match inspection.requests_per_minute {
        Some(limit) if limit < asked => Finding::wrong(
            format!(
                "the account allows {limit} requests a minute, but \
                 POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE is {asked}"
            ),
            format!("set it to {limit} or less"),
        ),
        Some(limit) => Finding::good(format!("the account allows {limit} requests a minute")),
        None => Finding::good("the provider reports no limit of requests"),
    }
}

#[cfg(test)]
mod tests {
    use newsletter::{
        subscriber::provider::{ProviderError, Webhook},
        testing::{Failing, MemoryProvider},
    };

    use super::*;

    fn good() -> Inspection {
        Inspection {
            fields: FIELDS
                .map(|(key, kind)| (key.to_owned(), kind.to_owned()))
                .into(),
            has_group: Some(true),
            webhooks: vec![Webhook {
                url: format!("https://jobs.example.org{WEBHOOK}"),
                events: [&EVENTS[..], &[DELETED]]
                    .concat()
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                is_enabled: true,
            }],
            requests_per_minute: Some(120),
            people: Some(400_000),
        }
    }

    const EXPECTED: Expected = Expected {
        requests_per_minute: 120,
        may_lack_group: false,
    };

    fn wrong(change: impl FnOnce(&mut Inspection)) -> Vec<String> {
        let mut inspection = good();
        change(&mut inspection);
        let findings = compare(Account::New, &inspection, EXPECTED).into_iter();
        let wrong = findings.filter(|finding| !finding.is_good());
        wrong.map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn each_wrong_setting_is_named() {
        assert_eq!(wrong(|_| {}), [""; 0]);
        for (found, expect) in [
            (
                wrong(|it| *it.fields.get_mut("membership_expire_at").unwrap() = "text".to_owned()),
                "membership_expire_at is of type text, not date",
            ),
            (
                wrong(|it| _ = it.fields.remove("member_status")),
                "member_status (text) is missing",
            ),
            (
                wrong(|it| it.has_group = Some(false)),
                "no group with the id",
            ),
            (wrong(|it| it.has_group = None), "is not set"),
            (
                wrong(|it| it.webhooks.clear()),
                "subscriber.unsubscribed, subscriber.bounced",
            ),
            (
                wrong(|it| it.webhooks[0].is_enabled = false),
                "no enabled webhook",
            ),
            (
                wrong(|it| it.webhooks[0].url = "https://elsewhere.example".to_owned()),
                "no enabled webhook",
            ),
            (
                wrong(|it| _ = it.webhooks[0].events.remove(2)),
                "reports subscriber.spam_reported",
            ),
            (
                wrong(|it| it.requests_per_minute = Some(60)),
                "allows 60 requests a minute",
            ),
        ] {
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with("new account: "), "{found:?}");
            assert!(found[0].contains(expect), "{found:?}");
        }
        let old = Inspection {
            has_group: None,
            ..good()
        };
        let found = compare(Account::Old, &old, EXPECTED);
        assert!(found.iter().all(Finding::is_good), "{found:?}");
    }

    #[test]
    fn an_operators_choice_is_not_wrong() {
        let mut inspection = good();
        inspection.has_group = None;
        inspection.webhooks[0]
            .events
            .retain(|event| event != DELETED);
        let expected = Expected {
            may_lack_group: true,
            ..EXPECTED
        };
        let found = compare(Account::New, &inspection, expected);
        assert!(found.iter().all(Finding::is_good), "{found:?}");
        let hint = "subscriber.deleted is worth adding, with `\"batchable\": true`";
        assert!(found.iter().any(|it| it.text.contains(hint)), "{found:?}");
    }

    #[tokio::test]
    async fn an_account_that_refuses_the_key_is_named() {
        let provider = MemoryProvider::new();
        for account in Account::ALL {
            provider.set_up(*account, good());
        }
        let findings = newsletter(&provider, EXPECTED).await;
        assert!(findings.iter().all(Finding::is_good), "{findings:?}");
        let refused = ProviderError::Locked("old account: 401".to_owned());
        provider.fail(0, Failing::Before, refused);
        let findings = newsletter(&provider, EXPECTED).await;
        assert_eq!(findings[0], Finding::wrong("old account: 401", UNREACHABLE));
        assert!(findings[1..].iter().all(Finding::is_good), "{findings:?}");
    }
}
