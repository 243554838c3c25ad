//! The HTTP forms of answers.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use time::{
    Duration, OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description,
};

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// The body; `None` for none.
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

    pub fn message(status: u16, message: &str) -> Self {
        Self::new(status, json!({ "message": message }))
    }

    /// An error with this status and the provider's message for it.
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

    /// The error for an invalid field.
    pub fn invalid(field: &str, text: &str) -> Self {
        let errors = json!({ field: [text] });
        Self::new(
            422,
            json!({"message": "The given data was invalid.", "errors": errors}),
        )
    }

    /// The error for an unknown id. For subscribers, the message does not contain the id.
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

/// One page of a list that continues at the id in a cursor, forwards or backwards, so that removals
/// do not shift it. An invalid cursor starts at the beginning. The items ascend by id.
pub fn cursor_page<T>(
    url: &str,
    items: impl Iterator<Item = T>,
    id: impl Fn(&T) -> u64,
    view: impl Fn(&T) -> Value,
    query: &Query,
) -> Reply {
    let per_page = query.number("limit").unwrap_or(25).max(1);
    let cursor = query.get("cursor").and_then(Cursor::read);
    let all: Vec<T> = items.collect();
    let start = match cursor {
        None => 0,
        Some(Cursor { of, is_next: true }) => all.partition_point(|item| id(item) <= of),
        Some(Cursor { of, is_next: false }) => all
            .partition_point(|item| id(item) < of)
            .saturating_sub(per_page),
    };
    let page = &all[start..all.len().min(start + per_page)];
    let cursor = |is_there: bool, item: Option<&T>, is_next| {
        let of = item.filter(|_| is_there).map(&id)?;
        Some(Cursor { of, is_next }.write())
    };
    let next = cursor(start + page.len() < all.len(), page.last(), true);
    let previous = cursor(start > 0, page.first(), false);
    let link = |cursor: &Option<String>| {
        let cursor = cursor.as_ref()?;
        Some(format!("{url}?cursor={cursor}"))
    };
    let data: Vec<_> = page.iter().map(view).collect();
    Reply::new(
        200,
        json!({
            "data": data,
            "links": {"first": null, "last": null, "prev": link(&previous), "next": link(&next)},
            "meta": {
                "path": url, "per_page": per_page, "next_cursor": next, "prev_cursor": previous,
            },
        }),
    )
}

/// The start or the end of a page, in the provider's encoding.
struct Cursor {
    /// The id of the last item before the page, or of the first one after it.
    of: u64,
    is_next: bool,
}

impl Cursor {
    fn write(&self) -> String {
        let place = json!({"id": self.of, "_pointsToNextItems": self.is_next});
        URL_SAFE_NO_PAD.encode(place.to_string())
    }

    fn read(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let place: Value = serde_json::from_slice(&bytes).ok()?;
        Some(Self {
            of: place["id"].as_u64()?,
            is_next: place["_pointsToNextItems"].as_bool()?,
        })
    }
}

/// The query parameters.
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

/// The current time in the provider's format.
pub fn now() -> String {
    in_days(0)
}

/// A date so many days from now.
pub fn in_days(days: i64) -> String {
    const FORMAT: &[BorrowedFormatItem<'_>] =
        format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let at = OffsetDateTime::now_utc() + Duration::days(days);
    at.format(FORMAT).unwrap()
}
