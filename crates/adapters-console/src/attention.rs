//! What needs an operator's attention.

use std::collections::HashMap;

use access::{Activity, Client};
use kernel::{ClientId, outbox::Backlog};
use newsletter::subscriber::Account;

use crate::{error::Failure, text, visit::OperatorVisit};

/// Webhooks and catalogues that are looked at.
const MOST: usize = 1_000;

/// Matters that are shown.
pub const SHOWN: usize = 50;

/// Something that needs attention, and the page about it.
pub struct Matter {
    pub page: String,
    pub subject: String,
    pub what: String,
}

/// All that needs attention. The rules are those of each context.
pub async fn matters(
    visit: &OperatorVisit,
    backlog: &[Backlog],
    clients: &[Client],
    activities: &HashMap<ClientId, Activity>,
) -> Result<Vec<Matter>, Failure> {
    let (stores, now, mut matters) = (visit.stores(), visit.now, Vec::new());
    let mut add = |page: String, subject: String, what: String| {
        matters.push(Matter {
            page,
            subject,
            what,
        });
    };
    for one in backlog.iter().filter(|one| one.dead > 0) {
        let tasks = if one.dead == 1 { "task" } else { "tasks" };
        let subject = format!("{} dead {tasks}", text::grouped(one.dead));
        add("/outbox".to_owned(), subject, format!("of {}", one.kind));
    }
    for one in stores.webhooks.list(None, None, MOST).await? {
        if one.needs_attention(now) {
            let endpoint = &one.endpoint;
            let since = text::optional_minute(one.health.failing_since);
            let what = match &endpoint.state_reason {
                Some(reason) => format!("is {}: {reason}", endpoint.state),
                None => format!("has failed since {since}"),
            };
            let subject = format!("Webhook {}", endpoint.url.as_str());
            add(format!("/webhooks/{}", endpoint.id), subject, what);
        }
    }
    for one in stores.catalogues.last_imports(MOST).await? {
        if let Some(count) = one.held_back() {
            let of = clients.iter().find(|client| client.id == one.client);
            let of = of.map_or_else(|| one.client.to_string(), |client| client.name.clone());
            let what = format!(
                "of {of} holds {} back: have it sent again, or let them expire",
                text::postings(count)
            );
            let page = format!("/catalogues/{}", one.id);
            add(page, format!("Catalogue {}", one.name), what);
        }
    }
    for account in Account::ALL {
        let account_state = stores.accounts.account_state(*account).await?;
        if let Some(until) = account_state.pauses_until(now) {
            let why = account_state.pause_reason.unwrap_or_default();
            let what = format!("pauses until {}: {why}", text::minute(until));
            let subject = format!("The provider's {account} account");
            add("/subscribers".to_owned(), subject, what);
        }
    }
    for client in clients.iter().filter(|client| client.is_active()) {
        let activity = activities.get(&client.id);
        if let Some(since) = activity.and_then(|activity| activity.silent_since(now)) {
            let what = format!("has pushed nothing since {}", text::minute(since));
            let page = format!("/clients/{}", client.id);
            add(page, format!("Client {}", client.name), what);
        }
    }
    Ok(matters)
}
