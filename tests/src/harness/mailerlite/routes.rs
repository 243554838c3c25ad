//! Dispatches a request to an account.

use std::time::Instant;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::{
    Call,
    account::AccountData,
    reply::{self, Query, Reply, now},
};

/// The largest number of requests in a batch.
const LARGEST_BATCH: usize = 50;

/// Executes a request.
pub fn answer(data: &mut AccountData, call: &Call) -> Reply {
    let path = call.path.split('?').next().unwrap_or_default();
    if call.method == "POST" && path.trim_matches('/') == "api/batch" {
        return batch(data, &call.body, call.at);
    }
    part(data, &call.method, &call.path, &call.body)
}

/// Executes a request or an item of a batch. The target is a path with its query.
fn part(data: &mut AccountData, method: &str, target: &str, body: &Value) -> Reply {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = path.trim_matches('/');
    let query = Query(query.split('&').filter_map(parameter).collect());
    let segments: Vec<String> = path.split('/').map(decoded).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let reply = match segments.as_slice() {
        ["api", "subscribers", rest @ ..] => subscribers(data, method, rest, &query, body),
        ["api", "groups", rest @ ..] => groups(data, method, rest, &query, body),
        ["api", "fields", rest @ ..] => fields(data, method, rest, &query, body),
        ["api", "webhooks", rest @ ..] => webhooks(data, method, rest, &query, body),
        _ => None,
    };
    reply.unwrap_or_else(|| Reply::message(404, &format!("The route {path} could not be found.")))
}

fn subscribers(
    data: &mut AccountData,
    method: &str,
    rest: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Reply> {
    Some(match (method, rest) {
        ("GET", []) => data.list(None, query),
        ("POST", []) => data.upsert(body),
        ("GET", [key]) => data.get(key),
        ("PUT", [id]) => data.update(id, body),
        ("DELETE", [id]) => data.delete(id),
        ("POST", [id, "forget"]) => data.forget(id),
        ("POST", [id, "groups", group]) => data.assign(id, group, true),
        ("DELETE", [id, "groups", group]) => data.assign(id, group, false),
        _ => return None,
    })
}

fn groups(
    data: &mut AccountData,
    method: &str,
    rest: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Reply> {
    Some(match (method, rest) {
        ("GET", []) => data.groups(query),
        ("POST", []) => with_name(body, |name| data.create_group(name)),
        ("PUT", [id]) => with_name(body, |name| data.rename_group(id, name)),
        ("DELETE", [id]) => data.delete_group(id),
        ("GET", [id, "subscribers"]) => data.list(Some(id), query),
        _ => return None,
    })
}

fn fields(
    data: &mut AccountData,
    method: &str,
    rest: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Reply> {
    Some(match (method, rest) {
        ("GET", []) => data.fields(query),
        ("POST", []) => {
            let kind = body["type"].as_str().unwrap_or_default();
            if !["text", "number", "date"].contains(&kind) {
                return Some(Reply::invalid("type", "The selected type is invalid."));
            }
            with_name(body, |name| data.create_field(name, kind))
        }
        ("PUT", [id]) => with_name(body, |name| data.rename_field(id, name)),
        ("DELETE", [id]) => data.delete_field(id),
        _ => return None,
    })
}

fn webhooks(
    data: &mut AccountData,
    method: &str,
    rest: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Reply> {
    Some(match (method, rest) {
        ("GET", []) => {
            let url = format!("{}/webhooks", data.url);
            reply::numbered_page(&url, data.webhooks.clone(), query, 50)
        }
        ("POST", []) => {
            let webhook = webhook(data.new_id(), body);
            data.webhooks.push(webhook.clone());
            Reply::data(201, &webhook)
        }
        (_, [id]) => {
            let Some(position) = data.webhooks.iter().position(|one| one["id"] == *id) else {
                return Some(Reply::missing(reply::WEBHOOK, id));
            };
            match method {
                "GET" => Reply::data(200, &data.webhooks[position]),
                "PUT" => {
                    let webhook = &mut data.webhooks[position];
                    for key in ["name", "url", "events", "enabled", "batchable"] {
                        if let Some(value) = body.get(key) {
                            webhook[key] = value.clone();
                        }
                    }
                    Reply::data(200, webhook)
                }
                "DELETE" => {
                    data.webhooks.remove(position);
                    Reply::nothing()
                }
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn webhook(id: u64, body: &Value) -> Value {
    json!({
        "id": id.to_string(),
        "name": body["name"],
        "url": body["url"],
        "events": body["events"],
        "enabled": true,
        "is_blocked": false,
        "secret": format!("secret-{id}"),
        "created_at": now(),
        "updated_at": now(),
        "batchable": body["batchable"] == true,
        "version": "2022-01",
        "last_fired_at": null,
        "response_code": null,
    })
}

/// Executes a batch, which succeeds even if its requests do not. A batch of only upserts is an
/// import, with a lower limit.
fn batch(data: &mut AccountData, body: &Value, at: Instant) -> Reply {
    let Some(requests) = body["requests"].as_array() else {
        return Reply::invalid("requests", "The requests field is required.");
    };
    if requests.len() > LARGEST_BATCH {
        let text = format!("The requests must not have more than {LARGEST_BATCH} items.");
        return Reply::invalid("requests", &text);
    }
    if !requests.is_empty()
        && requests.iter().all(is_upsert)
        && let Err(seconds) = data.admit_import(at)
    {
        let text = "You're being rate limited on import creation.";
        return Reply {
            retry_after: Some(seconds),
            ..Reply::message(429, text)
        };
    }
    let mut successful = 0;
    let responses: Vec<_> = requests
        .iter()
        .map(|request| {
            let text = |key: &str| request[key].as_str().unwrap_or_default();
            let method = text("method").to_uppercase();
            let reply = part(data, &method, text("path"), &request["body"]);
            successful += usize::from(reply.is_success());
            json!({"code": reply.status, "body": reply.body})
        })
        .collect();
    let total = responses.len();
    Reply::new(
        200,
        json!({
            "total": total, "successful": successful, "failed": total - successful,
            "responses": responses,
        }),
    )
}

fn is_upsert(request: &Value) -> bool {
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    text("method").eq_ignore_ascii_case("post")
        && text("path").trim_matches('/') == "api/subscribers"
}

fn with_name(body: &Value, work: impl FnOnce(&str) -> Reply) -> Reply {
    match body["name"].as_str().filter(|name| !name.is_empty()) {
        Some(name) => work(name),
        None => Reply::invalid("name", "The name field is required."),
    }
}

fn parameter(pair: &str) -> Option<(String, String)> {
    let (name, value) = pair.split_once('=')?;
    Some((decoded(name), decoded(&value.replace('+', " "))))
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
