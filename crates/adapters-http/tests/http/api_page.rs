//! Tests that `docs/api.md` and the pages below it name all that the OpenAPI document describes.

use std::collections::BTreeSet;

use serde_json::Value;

const PAGE: &str = concat!(
    include_str!("../../../../docs/api.md"),
    include_str!("../../../../docs/api/push.md"),
    include_str!("../../../../docs/api/read.md"),
    include_str!("../../../../docs/api/webhooks.md"),
    include_str!("../../../../docs/api/newsletter.md"),
);

/// Schemas whose fields are defined by a standard.
const BY_STANDARD: [&str; 5] = [
    "AuthorizationServer",
    "JobPosting",
    "Jwk",
    "JwkSet",
    "Place",
];

fn document() -> Value {
    serde_json::to_value(adapters_http::openapi().unwrap()).unwrap()
}

fn rows(begin: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) = PAGE
        .split_once(begin)
        .unwrap_or_else(|| panic!("no {begin}"));
    let lines = rest.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

#[test]
fn every_operation_is_mentioned() {
    let document = document();
    let mut missing = Vec::new();
    for (path, item) in object(&document["paths"]) {
        for (method, _) in object(item) {
            let operation = format!("`{} {path}", method.to_uppercase());
            let ends = ["`", "?"].map(|end| format!("{operation}{end}"));
            if !ends.iter().any(|it| PAGE.contains(it)) {
                missing.push(operation);
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn the_tables_of_fields_have_no_others() {
    let schemas = &document()["components"]["schemas"];
    let fields = object(schemas).flat_map(|(_, schema)| object(&schema["properties"]));
    let known: BTreeSet<_> = fields.map(|(name, _)| name.as_str()).collect();
    let mut tables = PAGE.split("\n| field |").skip(1).peekable();
    assert!(tables.peek().is_some());
    for row in tables.flat_map(|table| table.lines().skip(2).take_while(|row| row.starts_with('|')))
    {
        let names = row.trim_matches('|').split('|').next().unwrap();
        for name in names.split(',').map(|name| name.trim().trim_matches('`')) {
            let own = name.rsplit('.').next().unwrap();
            assert!(known.contains(own), "{name}");
        }
    }
}

#[test]
fn every_field_parameter_and_status_is_mentioned() {
    let document = document();
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let words: BTreeSet<_> = PAGE.split(|c| !is_of_name(c)).collect();
    for (name, schema) in object(&document["components"]["schemas"]) {
        if BY_STANDARD.contains(&name.as_str()) {
            continue;
        }
        for (field, _) in object(&schema["properties"]) {
            assert!(words.contains(field.as_str()), "{name}: {field}");
        }
    }
    let mut statuses = BTreeSet::new();
    for (path, item) in object(&document["paths"]) {
        for (method, operation) in object(item) {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                assert!(words.contains(name), "{method} {path}: {name}");
            }
            statuses.extend(object(&operation["responses"]).map(|(status, _)| status.clone()));
        }
    }
    statuses.retain(|status| status.as_str() >= "304");
    // 405 is for unsupported methods, and 431 is sent before the operation is known.
    statuses.extend(["405", "431"].map(str::to_owned));
    let rows = rows("\n## Errors\n").into_iter();
    let explained: BTreeSet<_> = rows
        .flat_map(|row| row[0].split(", "))
        .map(str::to_owned)
        .collect();
    assert_eq!(explained, statuses);
}
