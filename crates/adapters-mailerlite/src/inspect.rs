use newsletter::subscriber::provider::{Inspection, ProviderError, Webhook};
use reqwest::Method;
use serde_json::Value;

use crate::{connection::Connection, person};

const PER_PAGE: usize = 100;

/// The limit of pages of a list. A longer list is cut.
const MOST_PAGES: usize = 20;

pub async fn inspect(connection: &Connection) -> Result<Inspection, ProviderError> {
    let fields = list(connection, "fields").await?;
    let has_group = match connection.group() {
        Some(group) => {
            let groups = list(connection, "groups").await?;
            let is_it = |one: &Value| person::id(&one["id"]).as_deref() == Some(group);
            Some(groups.iter().any(is_it))
        }
        None => None,
    };
    let webhooks = list(connection, "webhooks").await?;
    // Even an empty page contains the total.
    let size = connection.send(Method::GET, &["subscribers"], &[("limit", "0")], None);
    let answer = size.await?;
    let people = answer.succeeded()?.json()?["total"].as_u64();
    Ok(Inspection {
        fields: fields
            .iter()
            .map(|field| (text(&field["key"]), text(&field["type"])))
            .collect(),
        has_group,
        webhooks: webhooks.iter().map(webhook).collect(),
        requests_per_minute: answer.allowance().map(|allowance| allowance.limit),
        people,
    })
}

async fn list(connection: &Connection, what: &str) -> Result<Vec<Value>, ProviderError> {
    let mut all = Vec::new();
    for page in 1..=MOST_PAGES {
        let (page, limit) = (page.to_string(), PER_PAGE.to_string());
        let query = [("limit", limit.as_str()), ("page", &page)];
        let answer = connection.send(Method::GET, &[what], &query, None).await?;
        let body = answer.succeeded()?.json()?;
        let Some(entries) = body["data"].as_array() else {
            return Err(answer.misunderstood("without a list"));
        };
        all.extend(entries.iter().cloned());
        if body["links"]["next"].is_null() {
            break;
        }
    }
    Ok(all)
}

fn webhook(shown: &Value) -> Webhook {
    let events = shown["events"].as_array().into_iter().flatten();
    Webhook {
        url: text(&shown["url"]),
        events: events.map(text).collect(),
        is_enabled: shown["enabled"] == true && shown["is_blocked"] != true,
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
