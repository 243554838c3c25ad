//! The shapes of answers.

use serde_json::{Value, json};
use time::{
    Duration, OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description,
};

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// `None` for no body at all.
    pub body: Option<Value>,
    pub retry_after: Option<u64>,
}

impl Reply {
    pub fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            body: Some(body),
            retry_after: None,
        }
    }

    pub fn data(status: u16, data: &Value) -> Self {
        Self::new(status, json!({ "data": data }))
    }

    pub fn nothing() -> Self {
        Self {
            status: 204,
            body: None,
            retry_after: None,
        }
    }

    /// A page of HTML, which is a text in place of an object.
    pub fn page(status: u16) -> Self {
        let page = format!("<html><head><title>{status}</title></head><body>nginx</body></html>");
        Self::new(status, Value::String(page))
    }

    pub fn message(status: u16, message: &str) -> Self {
        Self::new(status, json!({ "message": message }))
    }

    /// A status with the words that the provider has for it.
    pub fn of_status(status: u16, retry_after: Option<u64>) -> Self {
        let message = match status {
            401 => "Unauthenticated.",
            403 => "This action is unauthorized.",
            408 => "Request Timeout",
            429 => "Too Many Attempts.",
            503 => "Service Unavailable",
            _ => "Server Error",
        };
        Self {
            retry_after,
            ..Self::message(status, message)
        }
    }

    /// A field that is not as it has to be.
    pub fn invalid(field: &str, text: &str) -> Self {
        let errors = json!({ field: [text] });
        Self::new(
            422,
            json!({"message": "The given data was invalid.", "errors": errors}),
        )
    }

    /// Nothing of this kind has this id. The models of subscribers are silent about the id.
    pub fn missing(model: &str, id: &str) -> Self {
        let message = if model == SUBSCRIBER {
            format!("No query results for model [App\\Models\\{model}].")
        } else {
            format!("No query results for model [App\\Models\\{model}] {id}")
        };
        Self::message(404, &message)
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

pub const SUBSCRIBER: &str = "Subscriber\\Subscriber";
pub const GROUP: &str = "Group\\Group";
pub const FIELD: &str = "Field";
pub const WEBHOOK: &str = "Webhook";

/// One page of a list with numbered pages.
pub fn numbered_page(url: &str, items: Vec<Value>, query: &Query, per_page: usize) -> Reply {
    let per_page = query.number("limit").unwrap_or(per_page).max(1);
    let page = query.number("page").unwrap_or(1).max(1);
    let total = items.len();
    let last_page = total.div_ceil(per_page).max(1);
    let skipped = (page - 1) * per_page;
    let data: Vec<_> = items.into_iter().skip(skipped).take(per_page).collect();
    let link = |page: usize| format!("{url}?page={page}");
    let previous = (page > 1).then(|| link(page - 1));
    let next = (page < last_page).then(|| link(page + 1));
    let mut links = vec![json!({"url": previous, "label": "&laquo; Previous", "active": false})];
    links.extend((1..=last_page).map(|number| {
        json!({"url": link(number), "label": number.to_string(), "active": number == page})
    }));
    links.push(json!({"url": next, "label": "Next &raquo;", "active": false}));
    let (from, to) = match data.len() {
        0 => (None, None),
        some => (Some(skipped + 1), Some(skipped + some)),
    };
    Reply::new(
        200,
        json!({
            "data": data,
            "links": {"first": link(1), "last": link(last_page), "prev": previous, "next": next},
            "meta": {
                "current_page": page, "from": from, "last_page": last_page, "links": links,
                "path": url, "per_page": per_page, "to": to, "total": total,
            },
        }),
    )
}

/// One page of a list that goes on behind the id that a cursor holds, so that the page does not
/// shift with what is removed meanwhile. A cursor that was not given out here starts from the
/// beginning. The items ascend by id.
pub fn cursor_page<T>(
    url: &str,
    items: impl Iterator<Item = T>,
    id: impl Fn(&T) -> u64,
    view: impl Fn(&T) -> Value,
    query: &Query,
) -> Reply {
    let per_page = query.number("limit").unwrap_or(25).max(1);
    let start = query.get("cursor").and_then(behind).unwrap_or(0);
    let mut page: Vec<T> = items
        .filter(|item| id(item) > start)
        .take(per_page + 1)
        .collect();
    let has_more = page.len() > per_page;
    page.truncate(per_page);
    let next = page.last().filter(|_| has_more);
    let next = next.map(|last| format!("after-{}", id(last)));
    let link = next.as_ref().map(|cursor| format!("{url}?cursor={cursor}"));
    let data: Vec<_> = page.iter().map(view).collect();
    Reply::new(
        200,
        json!({
            "data": data,
            "links": {"first": null, "last": null, "prev": null, "next": link},
            "meta": {
                "path": url, "per_page": per_page, "next_cursor": next, "prev_cursor": null,
            },
        }),
    )
}

fn behind(cursor: &str) -> Option<u64> {
    cursor.strip_prefix("after-")?.parse().ok()
}

/// The parameters behind a path.
#[derive(Default)]
pub struct Query(pub Vec<(String, String)>);

impl Query {
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }
}

/// Now, as the provider writes it.
pub fn now() -> String {
    in_days(0)
}

/// So many days from now.
pub fn in_days(days: i64) -> String {
    const FORMAT: &[BorrowedFormatItem<'_>] =
        format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let at = OffsetDateTime::now_utc() + Duration::days(days);
    at.format(FORMAT).unwrap()
}
