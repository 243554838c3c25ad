//! Compares the document with the names, limits and schemas of the service.

use std::collections::BTreeSet;

use access::Scope;
use domain::{
    authority::Principal,
    posting::{PostingPatch, PutPosting},
};
use fields::FieldValue as _;
use kernel::{ClientId, PostingId, PutOutcome, Status, testing::uuid};
use newsletter::subscriber::{
    MembershipStatus, MigrationToken, PlanCategory, PutSubscriber, SubscriberId,
};
use serde_json::{Map, Value, json};
use webhooks::{EndpointChange, NewEndpoint, PrivateAddresses, WantedState, parse_replay};

fn document() -> Value {
    serde_json::to_value(super::openapi().unwrap()).unwrap()
}

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

fn operation<'a>(document: &'a Value, id: &str) -> &'a Value {
    let mut operations = operations(document).into_iter();
    let found = operations.find(|(_, operation)| operation["operationId"] == id);
    found.unwrap_or_else(|| panic!("no {id}")).1
}

fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let each = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    each.collect()
}

const PARAMETERS: &str = r#"
putJobPosting           uniqueSourceIdentifier {"minLength": 1, "maxLength": 255}
listJobPostings         limit       {"minimum": 1, "maximum": 200, "default": 50}
listJobPostings         texts       {"enum": ["all", "redacted", "none"]}
exportJobPostings       form        {"enum": ["json", "jsonld"], "default": "json"}
exportJobPostings       identity    {"enum": ["hidden", "shown"], "default": "hidden"}
listEvents              limit       {"minimum": 1, "maximum": 1000, "default": 100}
listEvents              wait        {"minimum": 0, "maximum": 30, "default": 0}
importCatalogue         max_missing {"maximum": 100, "default": 30}
importCatalogue         max_unattributed {"maximum": 10000000, "default": 0}
importCatalogue         min_missing {"maximum": 10000000, "default": 20}
importCatalogue         misses      {"minimum": 1, "maximum": 10, "default": 1}
listWebhookDeliveries   limit       {"minimum": 1, "maximum": 100}
putNewsletterSubscriber email       {"maxLength": 254}
"#;

const LENGTHS: &str = "
/PostingPayload/properties/title                  255
/PostingPayload/properties/application_url/anyOf/0 2048
/CompanyPayload/properties/website_url            1024
/ExpirationPayload/properties/reason              255
/NewWebhookEndpoint/properties/url                2048
/WebhookEndpointChange/properties/description     255
/SubscriberPayload/properties/name                255
/SubscriberPayload/properties/country             255
";

#[test]
fn limits_are_those_that_are_enforced() {
    let document = document();
    for line in PARAMETERS.trim().lines() {
        let (id, rest) = line.split_once(' ').unwrap();
        let (name, expect) = rest.trim().split_once(' ').unwrap();
        let expect: Value = serde_json::from_str(expect).unwrap();
        let parameters = &operation(&document, id)["parameters"];
        let mut parameters = parameters.as_array().unwrap().iter();
        let schema = &parameters.find(|one| one["name"] == name).unwrap()["schema"];
        for (key, value) in expect.as_object().unwrap() {
            assert_eq!(&schema[key], value, "{line}");
        }
    }
    let schemas = &document["components"]["schemas"];
    for line in LENGTHS.trim().lines() {
        let (pointer, limit) = line.split_once(' ').unwrap();
        let schema = schemas.pointer(pointer).unwrap();
        assert_eq!(schema["maxLength"].to_string(), limit.trim(), "{pointer}");
    }
}

/// Names in answers come from the domain, but these names are written by hand.
#[test]
fn vocabularies_are_those_of_the_domain() {
    let document = document();
    let components = &document["components"];
    for (pointer, names) in [
        ("/schemas/PlanCategory", PlanCategory::NAMES),
        ("/schemas/MembershipStatus", MembershipStatus::NAMES),
        (
            "/schemas/WebhookEndpointChange/properties/state",
            WantedState::NAMES,
        ),
        ("/headers/Posthaste-Outcome/schema", PutOutcome::NAMES),
        ("/headers/Posthaste-Status/schema", Status::NAMES),
    ] {
        let schema = components.pointer(pointer).unwrap();
        assert_eq!(
            (&schema["type"], &schema["enum"]),
            (&json!("string"), &json!(names))
        );
        assert!(schema["description"].is_string(), "{schema}");
    }
}

#[test]
fn every_field_that_can_be_pushed_can_be_read() {
    let document = document();
    let payload = &document["components"]["schemas"]["PostingPayload"];
    let view = &document["components"]["schemas"]["Posting"]["properties"];
    let properties = payload["properties"].as_object().unwrap();
    for name in PostingPatch::PROHIBITED {
        assert!(!properties.contains_key(*name), "{name}");
        let described = payload["description"].as_str().unwrap();
        assert!(described.contains(&format!("`{name}`")), "{name}");
        assert!(view.get(name).is_some(), "{name} cannot be read");
    }
    for name in properties.keys() {
        let is_read = name == "expiration" || view.get(name).is_some();
        assert!(is_read, "{name} cannot be read");
    }
}

#[test]
fn it_refers_to_what_there_is() {
    let document = document();
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
        // Since OpenAPI 3.1, `null` is a type.
        assert!(
            !value.get("nullable").is_some_and(Value::is_boolean),
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
    let ids = operations
        .iter()
        .map(|(_, operation)| operation["operationId"].as_str());
    assert_eq!(ids.collect::<BTreeSet<_>>().len(), operations.len());
    for (name, operation) in &operations {
        let answers = operation["responses"].as_object().unwrap();
        assert!(answers.contains_key("500"), "{name}");
        let has_limit = answers.contains_key("429");
        let security = operation["security"].as_array().unwrap();
        assert_eq!(has_limit, security.len() > 1, "{name}");
        for (status, answer) in answers {
            let target = answer["$ref"].as_str().map(|target| &target[1..]);
            let answer = target.map_or(answer, |target| document.pointer(target).unwrap());
            let has = |header: &str| answer["headers"].get(header).is_some();
            let needs = match status.as_str() {
                "303" => "Location",
                "304" => "ETag",
                "401" | "403" => "WWW-Authenticate",
                "429" | "503" => "Retry-After",
                _ => "X-Request-Id",
            };
            assert!(has(needs) && has("X-Request-Id"), "{name} {status}");
            let objects = name.ends_with("/objection") && status == "202";
            if !objects && !["204", "303", "304"].contains(&status.as_str()) {
                for (kind, content) in answer["content"].as_object().unwrap() {
                    assert!(!content["example"].is_null(), "{name} {status} {kind}");
                }
            }
            let is_limited =
                has_limit && (status.starts_with('2') || ["304", "429"].contains(&&**status));
            for header in ["RateLimit", "RateLimit-Policy"] {
                assert_eq!(has(header), is_limited, "{name} {status} {header}");
            }
        }
    }
    let schemes = &document["components"]["securitySchemes"];
    let scopes = schemes["oauth2"]["flows"]["clientCredentials"]["scopes"]
        .as_object()
        .unwrap();
    let names: BTreeSet<_> = scopes.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        Scope::ALL.iter().map(|scope| scope.as_str()).collect()
    );
}

/// Resolves references. Returns all fields and the required fields.
fn resolve<'a>(
    document: &'a Value,
    schema: &'a Value,
) -> (&'a Value, Map<String, Value>, Vec<&'a str>) {
    let target = schema["$ref"].as_str().map(|target| &target[1..]);
    let schema = target.map_or(schema, |target| document.pointer(target).unwrap());
    let mut fields = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let required = schema["required"].as_array().into_iter().flatten();
    let mut required: Vec<_> = required.filter_map(Value::as_str).collect();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        let (_, of_part, always) = resolve(document, part);
        fields.extend(of_part);
        required.extend(always);
    }
    (schema, fields, required)
}

/// Whether a value has exactly the fields of a schema.
fn fits(document: &Value, schema: &Value, value: &Value) -> bool {
    let (schema, fields, required) = resolve(document, schema);
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(all) = schema[alternatives].as_array() {
            return all.iter().any(|one| fits(document, one, value));
        }
    }
    match value {
        Value::Null => {
            schema["type"]
                .as_array()
                .is_some_and(|types| types.contains(&json!("null")))
                || schema["type"] == "null"
        }
        Value::Object(given) if !fields.is_empty() => {
            required.iter().all(|name| given.contains_key(*name))
                && given.iter().all(|(name, value)| {
                    fields
                        .get(name)
                        .is_some_and(|field| fits(document, field, value))
                })
        }
        Value::Array(given) => given
            .iter()
            .all(|value| fits(document, &schema["items"], value)),
        _ => schema["type"] != "null",
    }
}

#[test]
fn examples_of_answers_have_the_fields_of_what_is_sent() {
    let document = document();
    walk(&document["paths"], "", &mut |path, value| {
        if let (Some(schema), Some(example)) = (value.get("schema"), value.get("example"))
            && path.contains("/responses/")
        {
            // The example is a line or the whole content.
            let line = schema.get("contentSchema").zip(example.as_str());
            let line = line.map(|(schema, text)| (schema, serde_json::from_str(text).unwrap()));
            let (schema, example) = line.unwrap_or_else(|| (schema, example.clone()));
            assert!(
                fits(&document, schema, &example),
                "{path}: {example} is no {schema}"
            );
        }
    });
}

type Accepts<'a> = &'a dyn Fn(&[u8]) -> bool;

#[test]
fn examples_of_bodies_are_accepted_by_the_domain() {
    let document = document();
    let refuse = PrivateAddresses::Refuse;
    let push = |body: &[u8]| {
        let by = Principal::unfenced(ClientId::new(uuid(1)));
        let put = PutPosting::parse("x", body, by, PostingId::new(uuid(2)));
        put.is_ok_and(|put| put.errors.is_empty())
    };
    let report = |body: &[u8]| {
        let (id, token) = (SubscriberId::new(uuid(1)), MigrationToken::new([0; 32]));
        PutSubscriber::parse("ada@example.com", body, id, token).is_ok()
    };
    let accepts: [(&str, Accepts<'_>); 5] = [
        ("putJobPosting", &push),
        ("putNewsletterSubscriber", &report),
        ("createWebhook", &|body| {
            NewEndpoint::parse(body, refuse).is_ok()
        }),
        ("updateWebhook", &|body| {
            EndpointChange::parse(body, refuse).is_ok()
        }),
        ("replayWebhook", &|body| parse_replay(body).is_ok()),
    ];
    for (id, accepts) in accepts {
        let body = &operation(&document, id)["requestBody"]["content"]["application/json"];
        for example in body["examples"].as_object().unwrap().values() {
            let body = example["value"].to_string();
            assert!(accepts(body.as_bytes()), "{id}: {body}");
        }
    }
}
