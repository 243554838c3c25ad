//! What the document promises is what holds.

use std::collections::BTreeSet;

use domain::{
    client::Scope,
    posting::{EmploymentType, LocationType, PROHIBITED, SalaryPeriod, Status, limits},
};
use serde_json::{Value, json};

use crate::{
    posting::{DEFAULT_LIMIT, LIST_PATH, MAX_LIMIT},
    subscriber,
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
    let at = |pointer: &str| {
        document
            .pointer(pointer)
            .unwrap_or_else(|| panic!("nothing at {pointer}"))
            .clone()
    };
    let payload = |name: &str| format!("/components/schemas/PostingPayload/properties/{name}");
    let company = |name: &str| format!("/components/schemas/CompanyPayload/properties/{name}");
    let list = format!("/paths/{}/get/parameters", LIST_PATH.replace('/', "~1"));
    let one = format!(
        "/paths/{}~1{{uniqueSourceIdentifier}}",
        LIST_PATH.replace('/', "~1")
    );
    let reason = "/components/schemas/ExpirationPayload/properties/reason/maxLength";
    for (pointer, limit) in [
        (payload("title/maxLength"), limits::TITLE),
        (payload("location_city/maxLength"), limits::LOCATION_CITY),
        (
            payload("expiration_reason/maxLength"),
            limits::EXPIRATION_REASON,
        ),
        (
            payload("application_url/anyOf/0/maxLength"),
            limits::APPLICATION_URL,
        ),
        (company("name/maxLength"), limits::COMPANY_NAME),
        (
            company("website_url/maxLength"),
            limits::COMPANY_WEBSITE_URL,
        ),
        (company("logo_path/maxLength"), limits::COMPANY_LOGO_PATH),
        (reason.to_owned(), limits::EXPIRATION_REASON),
        (
            format!("{one}/put/parameters/0/schema/maxLength"),
            limits::SOURCE_IDENTIFIER,
        ),
        (
            format!("{one}/get/parameters/0/schema/maxLength"),
            limits::SOURCE_IDENTIFIER,
        ),
        (format!("{list}/2/schema/maximum"), MAX_LIMIT),
        (format!("{list}/2/schema/default"), DEFAULT_LIMIT),
    ] {
        assert_eq!(at(&pointer), json!(limit), "{pointer}");
    }
    for name in ["salary_min", "salary_max"] {
        assert_eq!(at(&payload(&format!("{name}/minimum"))), json!(0));
        assert_eq!(
            at(&payload(&format!("{name}/maximum"))),
            json!(limits::INTEGER)
        );
    }
    for (pointer, names) in [
        (
            payload("employment_types/items/enum"),
            EmploymentType::NAMES,
        ),
        (payload("location_types/items/enum"), LocationType::NAMES),
        (payload("salary_period/anyOf/0/enum"), SalaryPeriod::NAMES),
        (
            "/components/schemas/Posting/properties/status/enum".to_owned(),
            Status::NAMES,
        ),
        (
            "/components/schemas/HistoryEntry/properties/status/enum".to_owned(),
            Status::NAMES,
        ),
        (format!("{list}/0/schema/enum"), Status::NAMES),
    ] {
        assert_eq!(at(&pointer), json!(names), "{pointer}");
    }
    let depth = at(&payload("metadata/description"));
    assert!(
        depth
            .as_str()
            .unwrap()
            .contains(&limits::METADATA_DEPTH.to_string())
    );
}

#[test]
fn no_limit_is_missing() {
    // Every field of the payload that the domain knows, and nothing else.
    let document = document();
    let properties = document["components"]["schemas"]["PostingPayload"]["properties"]
        .as_object()
        .unwrap();
    for name in PROHIBITED {
        assert_eq!(properties[*name]["not"], json!({}), "{name}");
        assert_eq!(properties[*name].get("type"), None, "{name}");
    }
    let sent: BTreeSet<_> = properties
        .keys()
        .map(String::as_str)
        .filter(|name| !PROHIBITED.contains(name))
        .collect();
    let view = &document["components"]["schemas"]["Posting"]["properties"];
    for name in &sent {
        assert!(
            *name == "expiration" || view.get(name).is_some(),
            "{name} cannot be read"
        );
    }
    for name in PROHIBITED {
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
            let is_empty = ["204", "303"].contains(&status.as_str());
            assert!(answer["content"].is_object() || is_empty, "{name} {status}");
            let needs = match status.as_str() {
                "303" => Some("Location"),
                "401" | "403" => Some("WWW-Authenticate"),
                "503" => Some("Retry-After"),
                _ => None,
            };
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
    assert_eq!(security(&format!("get {LIST_PATH}")), readers);
    let reporters = json!([{"oauth2": [Scope::NewsletterSubscribersWrite.as_str()]}, bearer]);
    for method in ["put", "get"] {
        let name = format!("{method} {}/{{email}}", subscriber::PATH);
        assert_eq!(security(&name), reporters);
    }
    let webhook = security(&format!("post {}", subscriber::WEBHOOK_PATH));
    assert_eq!(webhook, json!([{"signature": []}]));
    for method in ["get", "post"] {
        let name = format!("{method} {}", subscriber::CONFIRM_PATH);
        assert_eq!(security(&name), json!([{}]));
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
    use domain::{
        client::ClientId,
        posting::{PostingId, PutPosting},
    };
    let document = document();
    let pointer = format!(
        "/paths/{}~1{{uniqueSourceIdentifier}}/put/requestBody/content/application~1json/examples",
        LIST_PATH.replace('/', "~1")
    );
    for (name, example) in document.pointer(&pointer).unwrap().as_object().unwrap() {
        let body = example["value"].to_string();
        let (by, id) = (
            ClientId::new(uuid::Uuid::nil()),
            PostingId::new(uuid::Uuid::nil()),
        );
        let put = PutPosting::parse("x", body.as_bytes(), by, id).unwrap();
        assert!(put.errors.is_empty(), "{name}: {}", put.errors);
    }
}

#[test]
fn limits_of_subscribers_are_those_of_the_domain() {
    use newsletter::subscriber::{
        Account, MemberStatus, MembershipStatus, MigrationSource, PlanCategory, SubscriberStatus,
        limits::{COUNTRY, EMAIL, NAME},
    };
    let document = document();
    let schemas = &document["components"]["schemas"];
    let payload = &schemas["SubscriberPayload"]["properties"];
    assert_eq!(payload["name"]["maxLength"], json!(NAME));
    assert_eq!(payload["country"]["maxLength"], json!(COUNTRY));
    let operations = &document["paths"][format!("{}/{{email}}", subscriber::PATH)];
    for method in ["put", "get"] {
        let address = &operations[method]["parameters"][0];
        assert_eq!(address["schema"]["maxLength"], json!(EMAIL), "{method}");
    }
    let names = |schema: &str, field: &str| schemas[schema]["properties"][field]["enum"].clone();
    let with = |names: &[&str], last: Value| {
        let names = names.iter().map(|name| json!(name));
        Value::Array(names.chain([last]).collect())
    };
    for (schema, field, expect) in [
        (
            "MembershipPayload",
            "plan_category",
            json!(PlanCategory::NAMES),
        ),
        (
            "MembershipPayload",
            "status",
            json!(MembershipStatus::NAMES),
        ),
        ("Subscriber", "status", json!(SubscriberStatus::NAMES)),
        ("Subscriber", "member_status", json!(MemberStatus::NAMES)),
        ("Subscriber", "mailerlite_account", json!(Account::NAMES)),
        (
            "Subscriber",
            "membership_plan_category",
            with(PlanCategory::NAMES, json!("non-member")),
        ),
        (
            "Subscriber",
            "migration_source",
            with(MigrationSource::NAMES, Value::Null),
        ),
    ] {
        assert_eq!(names(schema, field), expect, "{schema}.{field}");
    }
    let required = &schemas["MembershipPayload"]["required"];
    assert_eq!(*required, json!(["plan_category", "status"]));
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
