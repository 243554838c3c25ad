use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use time::{
    Duration, OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description,
};

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
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
        let message = if status == 401 {
            "Unauthenticated."
        } else {
            "Too Many Attempts."
        };
        Self {
            retry_after,
            ..Self::message(status, message)
        }
    }

    pub fn invalid(field: &str, text: &str) -> Self {
        let errors = json!({ field: [text] });
        Self::new(
            422,
            json!({"message": "The given data was invalid.", "errors": errors}),
        )
    }

    pub fn not_found() -> Self {
        let message = "No query results for model [App\\Models\\Subscriber\\Subscriber].";
        Self::message(404, message)
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn read(query: &str) -> Self {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Self(
            pairs
                .map(|(name, value)| (decoded(name), decoded(value)))
                .collect(),
        )
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A page of ascending items. A cursor holds the last id, so that removals do not shift the
    /// next page.
    pub fn cursor_page<T>(
        &self,
        url: &str,
        items: impl Iterator<Item = T>,
        id: impl Fn(&T) -> u64,
        view: impl Fn(T) -> Value,
    ) -> Reply {
        let limit = self.get("limit").and_then(|limit| limit.parse().ok());
        let per_page: usize = limit.unwrap_or(25).max(1);
        let behind = self.get("cursor").and_then(read_cursor).unwrap_or(0);
        let mut rest = items.filter(|item| id(item) > behind).peekable();
        let (mut data, mut last) = (Vec::new(), 0);
        while data.len() < per_page
            && let Some(item) = rest.next()
        {
            last = id(&item);
            data.push(view(item));
        }
        let next = rest.peek().map(|_| write_cursor(last));
        let link = next.as_ref().map(|next| format!("{url}?cursor={next}"));
        let links = json!({"first": null, "last": null, "prev": null, "next": link});
        let meta = json!({
            "path": url, "per_page": per_page, "next_cursor": next, "prev_cursor": null,
        });
        Reply::new(200, json!({"data": data, "links": links, "meta": meta}))
    }
}

fn write_cursor(id: u64) -> String {
    let place = json!({"id": id, "_pointsToNextItems": true});
    URL_SAFE_NO_PAD.encode(place.to_string())
}

fn read_cursor(text: &str) -> Option<u64> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let place: Value = serde_json::from_slice(&bytes).ok()?;
    place["id"].as_u64()
}

pub fn now() -> String {
    in_days(0)
}

pub fn in_days(days: i64) -> String {
    const FORMAT: &[BorrowedFormatItem<'_>] =
        format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    let at = OffsetDateTime::now_utc() + Duration::days(days);
    at.format(FORMAT).unwrap()
}
