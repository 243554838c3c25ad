//! Checks the document against the service's own names, limits and schemas.

use std::collections::BTreeSet;

use access::Scope;
use domain::{
    authority::Principal,
    posting::{EmploymentType, LocationType, PostingPatch, SalaryPeriod},
};
use kernel::{Status, event::EventName, field::FieldValue as _};
use newsletter::subscriber::{
    Account, LONGEST_EMAIL, LONGEST_TEXT, MemberStatus, MembershipStatus, MigrationSource,
    PlanCategory, SubscriberStatus,
};
use serde_json::{Value, json};
use webhooks::{
    EndpointChange, LONGEST_DESCRIPTION, LONGEST_URL, NewEndpoint, PrivateAddresses, parse_replay,
};

use crate::{
    event::{self, MAX_WAIT},
    integration,
    oauth::TOKEN_PATH,
    posting::{DEFAULT_LIMIT, EXPORT_PATH, LIST_PATH, MAX_LIMIT},
    subscriber, webhook,
};

fn document() -> Value {
    serde_json::to_value(super::openapi()).unwrap()
}

/// Every object of the document, with the path to it.
fn walk<'a>(value: &'a Value, path: &str, visit: &mut impl FnMut(&str, &'a Value)) {
    visit(path, value);
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                walk(value, &format!("{path}/{key}"), visit);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                walk(value, &format!("{path}/{index}"), visit);
            }
        }
        _ => {}
    }
}

fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            let item = item.as_object().unwrap();
            item.iter()
                .map(move |(method, operation)| (format!("{method} {path}"), operation))
        })
        .collect()
}

#[test]
fn limits_are_those_of_the_domain() {
    let document = document();
    let schema = |path: &str| format!("/components/schemas/{path}");
    let payload = |path: &str| schema(&format!("PostingPayload/properties/{path}"));
    let company = |path: &str| schema(&format!("CompanyPayload/properties/{path}"));
    let person = |path: &str| schema(&format!("SubscriberPayload/properties/{path}"));
    let path = |path: &str, rest: &str| format!("/paths/{}/{rest}", path.replace('/', "~1"));
    let list = |rest: &str| path(LIST_PATH, &format!("get/parameters/{rest}"));
    let events = |rest: &str| path(event::PATH, &format!("get/parameters/{rest}"));
    let one = path(
        &format!("{LIST_PATH}/{{uniqueSourceIdentifier}}"),
        "put/parameters/0",
    );
    let address = path(
        &format!("{}/{{email}}", subscriber::PATH),
        "put/parameters/0",
    );
    for (pointer, limit) in [
        (payload("title/maxLength"), 255),
        (payload("location_city/maxLength"), 255),
        (payload("expiration_reason/maxLength"), 255),
        (payload("application_url/anyOf/0/maxLength"), 2048),
        (company("name/maxLength"), 255),
        (company("website_url/maxLength"), 1024),
        (company("logo_path/maxLength"), 1024),
        (schema("ExpirationPayload/properties/reason/maxLength"), 255),
        (format!("{one}/schema/maxLength"), 255),
        (list("3/schema/maximum"), MAX_LIMIT),
        (list("3/schema/default"), DEFAULT_LIMIT),
        (events("1/schema/maximum"), event::MAX_LIMIT),
        (events("1/schema/default"), event::DEFAULT_LIMIT),
        (events("3/schema/maximum"), MAX_WAIT),
        (
            schema("NewWebhookEndpoint/properties/url/maxLength"),
            LONGEST_URL,
        ),
        (
            schema("WebhookEndpointChange/properties/description/maxLength"),
            LONGEST_DESCRIPTION,
        ),
        (person("name/maxLength"), LONGEST_TEXT),
        (person("country/maxLength"), LONGEST_TEXT),
        (format!("{address}/schema/maxLength"), LONGEST_EMAIL),
    ] {
        assert_eq!(document.pointer(&pointer), Some(&json!(limit)), "{pointer}");
    }
    let public = domain::posting::event::PUBLIC;
    let event_types: Vec<_> = public.iter().map(EventName::as_str).collect();
    for (name, names) in [
        ("EventType", &*event_types),
        ("EmploymentType", EmploymentType::NAMES),
        ("LocationType", LocationType::NAMES),
        ("SalaryPeriod", SalaryPeriod::NAMES),
        ("Status", Status::NAMES),
        ("PlanCategory", PlanCategory::NAMES),
        ("MembershipStatus", MembershipStatus::NAMES),
        ("SubscriberStatus", SubscriberStatus::NAMES),
        ("MemberStatus", MemberStatus::NAMES),
        ("MailerliteAccount", Account::NAMES),
        ("MigrationSource", MigrationSource::NAMES),
    ] {
        let names = json!({"type": "string", "enum": names});
        let mut known = document["components"]["schemas"][name].clone();
        assert!(known["description"].take().is_string(), "{name}");
        known.as_object_mut().unwrap().remove("description");
        assert_eq!(known, names, "{name}");
    }
}

#[test]
fn no_limit_is_missing() {
    // Exactly the payload fields that the domain knows.
    let document = document();
    let properties = document["components"]["schemas"]["PostingPayload"]["properties"]
        .as_object()
        .unwrap();
    let description = document["components"]["schemas"]["PostingPayload"]["description"]
        .as_str()
        .unwrap();
    for name in PostingPatch::PROHIBITED {
        assert!(!properties.contains_key(*name), "{name}");
        assert!(description.contains(&format!("`{name}`")), "{name}");
    }
    let sent: BTreeSet<_> = properties.keys().map(String::as_str).collect();
    let view = &document["components"]["schemas"]["Posting"]["properties"];
    for name in &sent {
        assert!(
            *name == "expiration" || view.get(name).is_some(),
            "{name} cannot be read"
        );
    }
    for name in PostingPatch::PROHIBITED {
        assert!(view.get(name).is_some(), "{name} cannot be read");
    }
}

#[test]
fn it_is_openapi_3_1_and_refers_to_what_there_is() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    assert_eq!(document["info"]["title"], "Posthaste");
    let mut used = BTreeSet::new();
    walk(&document, "", &mut |path, value| {
        if let Some(target) = value.get("$ref").and_then(Value::as_str) {
            let pointer = target.strip_prefix('#').unwrap();
            assert!(
                document.pointer(pointer).is_some(),
                "{path} refers to {target}"
            );
            used.insert(pointer.to_owned());
        }
        // Since 3.1 `null` is a type and examples are a list.
        assert_eq!(
            value.get("nullable").filter(|v| v.is_boolean()),
            None,
            "{path}"
        );
    });
    for kind in ["schemas", "responses", "headers"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let is_used = used.contains(&format!("/components/{kind}/{name}"));
            assert!(is_used, "{kind}/{name} is not used");
        }
    }
}

#[test]
fn operations_say_who_may_and_what_they_answer() {
    let document = document();
    let operations = operations(&document);
    let ids: BTreeSet<_> = operations
        .iter()
        .map(|(_, operation)| operation["operationId"].as_str())
        .collect();
    assert_eq!(ids.len(), operations.len());
    for (name, operation) in &operations {
        assert!(operation["summary"].is_string(), "{name}");
        let is_of_client = operation["security"][0].get("oauth2").is_some();
        let is_limited = operation["responses"].get("429").is_some();
        assert_eq!(
            is_limited,
            is_of_client || name.ends_with(TOKEN_PATH),
            "{name}"
        );
        let answers = operation["responses"].as_object().unwrap();
        assert!(answers.contains_key("500"), "{name}");
        for (status, answer) in answers {
            let answer = answer.get("$ref").map_or(answer, |target| {
                document
                    .pointer(target.as_str().unwrap().trim_start_matches('#'))
                    .unwrap()
            });
            let headers = &answer["headers"];
            assert!(headers.get("X-Request-Id").is_some(), "{name} {status}");
            if !["204", "303", "304"].contains(&status.as_str()) {
                for (kind, content) in answer["content"].as_object().unwrap() {
                    assert!(!content["example"].is_null(), "{name} {status} {kind}");
                }
            }
            let needs = match status.as_str() {
                "303" => Some("Location"),
                "304" => Some("ETag"),
                "401" | "403" => Some("WWW-Authenticate"),
                "429" | "503" => Some("Retry-After"),
                _ => None,
            };
            let is_limited = answers.contains_key("429")
                && (status.starts_with('2') || ["304", "429"].contains(&status.as_str()));
            for header in ["RateLimit", "RateLimit-Policy"] {
                let is_told = headers.get(header).is_some();
                assert_eq!(is_told, is_limited, "{name} {status} {header}");
            }
            assert!(
                needs.is_none_or(|header| headers.get(header).is_some()),
                "{name} {status}"
            );
        }
    }
    let security = |name: &str| {
        let found = operations.iter().find(|(n, _)| n == name);
        found.unwrap_or_else(|| panic!("no {name}")).1["security"].clone()
    };
    let one = format!("{LIST_PATH}/{{uniqueSourceIdentifier}}");
    let (write, read) = (
        Scope::JobPostingsWrite.as_str(),
        Scope::JobPostingsRead.as_str(),
    );
    let bearer = json!({"bearer": []});
    assert_eq!(
        security(&format!("put {one}")),
        json!([{"oauth2": [write]}, bearer])
    );
    let readers = json!([{"oauth2": [read]}, {"oauth2": [write]}, bearer]);
    assert_eq!(security(&format!("get {one}")), readers);
    for path in [LIST_PATH, EXPORT_PATH, event::PATH, integration::PATH] {
        assert_eq!(security(&format!("get {path}")), readers);
    }
    let reporters = json!([{"oauth2": [Scope::NewsletterSubscribersWrite.as_str()]}, bearer]);
    for method in ["put", "get"] {
        let name = format!("{method} {}/{{email}}", subscriber::PATH);
        assert_eq!(security(&name), reporters);
    }
    let webhook = security(&format!("post {}", subscriber::WEBHOOK_PATH));
    assert_eq!(webhook, json!([{"signature": []}]));
    for method in ["get", "post"] {
        let name = format!("{method} {}", subscriber::CONFIRM_PATH);
        assert_eq!(security(&name), json!([]));
    }
    assert_eq!(security("post /oauth/token"), json!([{}, {"basic": []}]));
    let scopes = &document["components"]["securitySchemes"]["oauth2"]["flows"]["clientCredentials"]
        ["scopes"];
    let names: BTreeSet<_> = scopes
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        names,
        Scope::ALL.iter().map(|scope| scope.as_str()).collect()
    );
}

#[test]
fn examples_are_accepted_by_the_domain() {
    use domain::posting::PutPosting;
    use kernel::{ClientId, PostingId};
    let document = document();
    let pointer = format!(
        "/paths/{}~1{{uniqueSourceIdentifier}}/put/requestBody/content/application~1json/examples",
        LIST_PATH.replace('/', "~1")
    );
    for (name, example) in document.pointer(&pointer).unwrap().as_object().unwrap() {
        let body = example["value"].to_string();
        let (by, id) = (
            Principal::unfenced(ClientId::new(uuid::Uuid::nil())),
            PostingId::new(uuid::Uuid::nil()),
        );
        let put = PutPosting::parse("x", body.as_bytes(), by, id).unwrap();
        assert!(put.errors.is_empty(), "{name}: {}", put.errors);
    }
}

#[test]
fn examples_of_reports_are_accepted_by_the_domain() {
    use newsletter::subscriber::{MigrationToken, PutSubscriber, SubscriberId};

    let document = document();
    let put = &document["paths"][format!("{}/{{email}}", subscriber::PATH)]["put"];
    let examples = put["requestBody"]["content"]["application/json"]["examples"].as_object();
    for (name, example) in examples.unwrap() {
        let body = example["value"].to_string();
        let (id, token) = (
            SubscriberId::new(uuid::Uuid::nil()),
            MigrationToken::new([0; 32]),
        );
        let address = put["parameters"][0]["example"].as_str().unwrap();
        let put = PutSubscriber::parse(address, body.as_bytes(), id, token);
        assert!(put.is_ok(), "{name}: {put:?}");
    }
}

#[test]
fn examples_about_webhooks_are_accepted_by_the_domain() {
    let document = document();
    let bodies = |path: &str, method: &str| {
        let body = &document["paths"][path][method]["requestBody"]["content"]["application/json"];
        let examples = body["examples"].as_object().unwrap().values();
        let bodies = examples.map(|example| example["value"].to_string());
        bodies.collect::<Vec<_>>()
    };
    let one = format!("{}/{{id}}", webhook::PATH);
    let refuse = PrivateAddresses::Refuse;
    for body in bodies(webhook::PATH, "post") {
        let new = NewEndpoint::parse(body.as_bytes(), refuse);
        assert!(new.is_ok(), "{new:?}");
    }
    for body in bodies(&one, "patch") {
        let change = EndpointChange::parse(body.as_bytes(), refuse);
        assert!(change.is_ok(), "{change:?}");
    }
    for body in bodies(&format!("{one}/replay"), "post") {
        assert!(parse_replay(body.as_bytes()).is_ok());
    }
}

#[test]
fn the_delivery_of_an_event_is_described() {
    let document = document();
    let delivered = &document["webhooks"]["event"]["post"];
    let headers = delivered["parameters"].as_array().unwrap().iter();
    let headers: Vec<_> = headers.map(|header| header["name"].clone()).collect();
    let expect = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    assert_eq!(headers, expect);
    let schema = &delivered["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(schema["$ref"], "#/components/schemas/DeliveredEvent");
}
