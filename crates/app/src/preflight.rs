//! What has to be set up at the e-mail provider before anything is sent, and whether it is.

use domain::subscriber::{
    Account,
    provider::{Inspection, Provider},
};

/// The fields that a person's are written to, and their types. The provider ignores fields that
/// an account does not have, without a word.
const FIELDS: [(&str, &str); 5] = [
    ("name", "text"),
    ("country", "text"),
    ("membership_plan_category", "text"),
    ("member_status", "text"),
    ("membership_expire_at", "date"),
];

/// Without these, suppressions arrive a night late at best.
const EVENTS: [&str; 3] = [
    "subscriber.unsubscribed",
    "subscriber.bounced",
    "subscriber.spam_reported",
];

/// Where the accounts' webhooks have to call.
const WEBHOOK: &str = "/api/webhooks/newsletter/update-subscriber-status";

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it is as it has to be.
    pub is_good: bool,
    /// What was found, and the remedy where it is needed. One line.
    pub text: String,
}

/// Looks at every account that has a key, and says so of those that have none.
pub async fn newsletter(provider: &dyn Provider, requests_per_minute: u32) -> Vec<Finding> {
    let with_key = provider.accounts();
    let mut findings = Vec::new();
    for &account in Account::ALL {
        if !with_key.contains(&account) {
            findings.push(Finding {
                is_good: false,
                text: format!("{account} account: no API key, so nothing is sent there"),
            });
            continue;
        }
        match provider.inspect(account).await {
            Ok(inspection) => findings.extend(of(account, &inspection, requests_per_minute)),
            Err(error) => findings.push(Finding {
                is_good: false,
                text: error.to_string(),
            }),
        }
    }
    findings
}

/// What there is to say of an account that is set up like this.
fn of(account: Account, inspection: &Inspection, requests_per_minute: u32) -> Vec<Finding> {
    let findings = [
        Some((true, people(inspection))),
        Some(fields(inspection)),
        group(account, inspection),
        Some(webhook(inspection)),
        Some(limit(inspection, requests_per_minute)),
    ];
    let findings = findings.into_iter().flatten();
    findings
        .map(|(is_good, text)| Finding {
            is_good,
            text: format!("{account} account: {text}"),
        })
        .collect()
}

fn people(inspection: &Inspection) -> String {
    match inspection.people {
        Some(people) => format!(
            "the key works; {people} people are in it (that its plan has room for all who come \
             is for you to see to: the API does not say)"
        ),
        None => "the key works; how many people are in it is not said".to_owned(),
    }
}

fn fields(inspection: &Inspection) -> (bool, String) {
    let mut wrong = Vec::new();
    for (key, kind) in FIELDS {
        match inspection.fields.iter().find(|field| field.key == key) {
            Some(field) if field.kind == kind => {}
            Some(field) => wrong.push(format!("{key} is of type {}, not {kind}", field.kind)),
            None => wrong.push(format!("{key} ({kind}) is missing")),
        }
    }
    if wrong.is_empty() {
        (true, "all fields are there".to_owned())
    } else {
        let wrong = wrong.join(", ");
        (false, format!("{wrong}: what is written to it is lost"))
    }
}

/// Only the account that people move to has one.
fn group(account: Account, inspection: &Inspection) -> Option<(bool, String)> {
    if account == Account::Old {
        return None;
    }
    Some(match inspection.has_group {
        Some(true) => (true, "the group is there".to_owned()),
        Some(false) => {
            let text = "there is no group with the id in POSTHASTE_MAILERLITE_NEW_GROUP_ID";
            (false, text.to_owned())
        }
        None => {
            let text =
                "POSTHASTE_MAILERLITE_NEW_GROUP_ID names no group: no chain of e-mails starts";
            (false, text.to_owned())
        }
    })
}

fn webhook(inspection: &Inspection) -> (bool, String) {
    let ours = inspection.webhooks.iter();
    let ours: Vec<_> = ours
        .filter(|webhook| webhook.is_enabled && webhook.url.ends_with(WEBHOOK))
        .collect();
    let is_missing = |event: &&&str| {
        let mut events = ours.iter().flat_map(|webhook| &webhook.events);
        !events.any(|sent| sent == **event)
    };
    let missing: Vec<_> = EVENTS.iter().filter(is_missing).copied().collect();
    if missing.is_empty() {
        (true, "its webhook tells of suppressions".to_owned())
    } else {
        let missing = missing.join(", ");
        let text = format!("no enabled webhook to …{WEBHOOK} tells of {missing}");
        (false, text)
    }
}

fn limit(inspection: &Inspection, requests_per_minute: u32) -> (bool, String) {
    match inspection.requests_per_minute {
        Some(limit) if limit < requests_per_minute => (
            false,
            format!(
                "it takes {limit} requests a minute, and \
                 POSTHASTE_MAILERLITE_REQUESTS_PER_MINUTE is {requests_per_minute}"
            ),
        ),
        Some(limit) => (true, format!("it takes {limit} requests a minute")),
        None => (true, "how many requests it takes is not said".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        subscriber::provider::{FieldKind, ProviderError, Webhook},
        testing::{Failing, MemoryProvider},
    };

    use super::*;

    fn good() -> Inspection {
        let kind = |&(key, kind): &(&str, &str)| FieldKind {
            key: key.to_owned(),
            kind: kind.to_owned(),
        };
        Inspection {
            fields: FIELDS.iter().map(kind).collect(),
            has_group: Some(true),
            webhooks: vec![Webhook {
                url: format!("https://jobs.example.org{WEBHOOK}"),
                events: EVENTS.map(str::to_owned).to_vec(),
                is_enabled: true,
            }],
            requests_per_minute: Some(120),
            people: Some(400_000),
        }
    }

    /// What is wrong with the new account.
    fn wrong(change: impl FnOnce(&mut Inspection)) -> Vec<String> {
        let mut inspection = good();
        change(&mut inspection);
        let findings = of(Account::New, &inspection, 120).into_iter();
        let wrong = findings.filter(|finding| !finding.is_good);
        wrong.map(|finding| finding.text).collect()
    }

    #[test]
    fn whatever_is_not_as_it_has_to_be_is_named() {
        assert_eq!(wrong(|_| {}), [""; 0]);
        for (found, expect) in [
            (
                wrong(|it| it.fields[4].kind = "text".to_owned()),
                "membership_expire_at is of type text, not date",
            ),
            (
                wrong(|it| it.fields.retain(|field| field.key != "member_status")),
                "member_status (text) is missing",
            ),
            (
                wrong(|it| it.has_group = Some(false)),
                "no group with the id",
            ),
            (wrong(|it| it.has_group = None), "names no group"),
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
                wrong(|it| _ = it.webhooks[0].events.pop()),
                "tells of subscriber.spam_reported",
            ),
            (
                wrong(|it| it.requests_per_minute = Some(60)),
                "takes 60 requests a minute",
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
        assert!(of(Account::Old, &old, 120).iter().all(|it| it.is_good));
    }

    #[tokio::test]
    async fn an_account_that_refuses_the_key_is_named() {
        let provider = MemoryProvider::new();
        for account in Account::ALL {
            provider.set_up(*account, good());
        }
        assert!(newsletter(&provider, 120).await.iter().all(|it| it.is_good));
        let refused = ProviderError::Locked("old account: 401".to_owned());
        provider.fail(0, Failing::Before, refused);
        let findings = newsletter(&provider, 120).await;
        assert_eq!(findings[0].text, "old account: 401");
        assert!(!findings[0].is_good);
        assert!(findings[1..].iter().all(|it| it.is_good), "{findings:?}");
    }
}
