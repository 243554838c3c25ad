//! The OpenAPI 3.1 document.
//!
//! Operations, request bodies and examples are written as OpenAPI in an `openapi.json` next to
//! their handlers. Each section names this file, and has the schemas of its answers and its errors.
//! This module adds errors of several sections, and headers that all answers share. `tests`
//! compares the limits with those of the domain.

mod errors;
mod line;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{
    Deserialize, Serialize, Serializer,
    de::{Error as _, IgnoredAny},
};
use serde_json::{Map, Value, json};

use self::errors::header_refs;
pub use self::line::line_schema;
use crate::{
    error::{ErrorBody, InternalBody, ValidationBody},
    posting,
    problem::Problem,
    section::{SharedError, of_answer},
    sections::SECTIONS,
};

/// The description of the service, and the shared components.
const SERVICE: &str = include_str!("document.json");

/// The errors of every client operation. The parts of the document call this list `client`.
const OF_CLIENT: &[&str] = &[
    "Unauthorized",
    "Forbidden",
    "Invalid",
    "TooManyRequests",
    "InternalError",
    "Unavailable",
];
/// The additional errors of operations with a body. The document's parts call this list `body`.
const OF_BODY: &[&str] = &["RequestTimeout", "PayloadTooLarge", "UnsupportedMediaType"];

const LINES: &str = "application/x-ndjson";

#[derive(Serialize)]
pub struct Document {
    openapi: &'static str,
    info: Value,
    servers: Value,
    tags: Vec<Value>,
    #[serde(serialize_with = "in_order")]
    paths: Vec<(String, Map<String, Value>)>,
    webhooks: Map<String, Value>,
    components: Value,
}

fn in_order<S: Serializer>(
    paths: &[(String, Map<String, Value>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(paths.iter().map(|(path, item)| (path, item)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Service {
    info: Value,
    servers: Value,
    headers: Value,
    security_schemes: Value,
}

/// A part of the document: a tag's operations, schemas of bodies, and an example of each answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    tag: String,
    description: String,
    operations: Vec<Operation>,
    #[serde(flatten)]
    shared: Shared,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Shared {
    parameters: Map<String, Value>,
    schemas: Map<String, Value>,
    examples: Map<String, Value>,
}

/// An operation as OpenAPI, with short forms for common elements.
#[derive(Deserialize)]
struct Operation {
    /// The method and path, such as `GET /healthz`. Without a slash, it is the name of a webhook.
    #[serde(rename = "operation")]
    target: String,
    /// How the operation respects the client's prefixes. Only a test reads this field:
    ///
    /// - `refuses`: a posting with another prefix is refused with this status and message;
    /// - `refuses lines`: a line about a posting with another prefix is refused;
    /// - `leaves out`: postings with other prefixes are absent from the answer;
    /// - `own pushes`: the answer has identifiers that this client has sent, and nothing about
    ///   postings;
    /// - `none`: the operation names no posting;
    /// - `worker`: deliveries respect the client's current prefixes, as tests of the worker check.
    #[serde(default, rename = "prefixes")]
    _prefixes: IgnoredAny,
    #[serde(default)]
    scopes: Vec<String>,
    /// Parameters, or the names of shared parameters.
    #[serde(default)]
    parameters: Vec<Value>,
    #[serde(default)]
    responses: BTreeMap<String, Success>,
    /// Names of shared errors.
    #[serde(default)]
    errors: Vec<String>,
    /// Names of errors that the operation itself describes.
    #[serde(default)]
    inline: Vec<String>,
    /// Additional contents of the errors in `inline`.
    #[serde(default)]
    also: Map<String, Value>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A successful response.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Success {
    description: String,
    #[serde(default)]
    headers: Vec<String>,
    /// The name of a schema, `page`, or a content as OpenAPI.
    #[serde(default)]
    content: Map<String, Value>,
}

/// Builds the document. If a part is wrong, the error names it.
pub fn openapi() -> serde_json::Result<Document> {
    let mut service: Service = read(SERVICE)?;
    service.info["version"] = env!("CARGO_PKG_VERSION").into();
    // A viewer can link a single licence identifier, but not an expression of two.
    service.info["license"] = json!({"name": env!("CARGO_PKG_LICENSE")});
    let (mut shared, mut tags, mut operations) = (Shared::default(), Vec::new(), Vec::new());
    for section in SECTIONS {
        let part: Part = read(section.document)?;
        tags.push(json!({"name": part.tag, "description": part.description}));
        let of_part = part.operations.into_iter();
        operations.extend(of_part.map(|operation| (part.tag.clone(), operation)));
        shared.parameters.extend(part.shared.parameters);
        shared.schemas.extend(part.shared.schemas);
        shared.examples.extend(part.shared.examples);
        for add in section.answers {
            add(&mut shared.schemas)?;
        }
    }
    posting::describe_fields(&mut shared.schemas);
    of_answer::<ErrorBody>(&mut shared.schemas)?;
    of_answer::<ValidationBody>(&mut shared.schemas)?;
    of_answer::<InternalBody>(&mut shared.schemas)?;
    of_answer::<Problem>(&mut shared.schemas)?;

    let (mut paths, mut webhooks) = (Vec::<(String, Map<_, _>)>::new(), Map::new());
    for (tag, operation) in operations {
        let (method, path) = operation.target();
        let (method, path) = (method.to_lowercase(), path.to_owned());
        let described = operation.describe(&tag, &shared)?;
        if !path.starts_with('/') {
            webhooks.insert(path, json!({method: described}));
        } else if let Some((_, item)) = paths.iter_mut().find(|(known, _)| *known == path) {
            item.insert(method, described);
        } else {
            paths.push((path, Map::from_iter([(method, described)])));
        }
    }
    let components = json!({
        "schemas": shared.schemas,
        "responses": errors::responses(),
        "headers": service.headers,
        "securitySchemes": service.security_schemes,
    });
    Ok(Document {
        openapi: "3.1.0",
        info: service.info,
        servers: service.servers,
        tags,
        paths,
        webhooks,
        components,
    })
}

/// Reads JSON. A description in it may be an array of lines.
fn read<T: for<'a> Deserialize<'a>>(text: &str) -> serde_json::Result<T> {
    fn join(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                if let Some(text @ Value::Array(_)) = fields.get_mut("description") {
                    let lines: Vec<_> = text.as_array().into_iter().flatten().collect();
                    let lines = lines
                        .into_iter()
                        .filter_map(Value::as_str)
                        .collect::<Vec<_>>();
                    *text = lines.join(" ").replace("  ", "\n\n").into();
                }
                fields.values_mut().for_each(join);
            }
            Value::Array(items) => items.iter_mut().for_each(join),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(text)?;
    join(&mut value);
    serde_json::from_value(value)
}

fn named<'a>(of: &'a Map<String, Value>, name: &str) -> serde_json::Result<&'a Value> {
    let found = of.get(name);
    found.ok_or_else(|| serde_json::Error::custom(format_args!("nothing is called {name}")))
}

impl Operation {
    fn target(&self) -> (&str, &str) {
        self.target.split_once(' ').unwrap_or_default()
    }

    fn describe(self, tag: &str, shared: &Shared) -> serde_json::Result<Value> {
        let is_of_service = self.target().1.starts_with('/');
        let mut responses = Map::new();
        for name in self.errors.iter().flat_map(|name| match name.as_str() {
            "client" => OF_CLIENT.to_vec(),
            "body" => OF_BODY.to_vec(),
            one => vec![one],
        }) {
            let target = format!("#/components/responses/{name}");
            responses.insert(SharedError::find(name)?.status(), json!({"$ref": target}));
        }
        for name in &self.inline {
            let error = SharedError::find(name)?;
            let mut response = error.response();
            for (kind, content) in &self.also {
                response["content"][kind] = shared.content(kind, content)?;
            }
            responses.insert(error.status(), response);
        }
        let is_limited = responses.contains_key("429");
        for (status, success) in self.responses {
            let mut headers = success.headers;
            headers.extend(is_of_service.then(|| "X-Request-Id".to_owned()));
            if is_limited && status != "303" {
                headers.extend(errors::LIMIT.map(str::to_owned));
            }
            let mut response = json!({"description": success.description});
            if !headers.is_empty() {
                response["headers"] = header_refs(headers.iter().map(String::as_str));
            }
            for (kind, content) in &success.content {
                response["content"][kind] = shared.content(kind, content)?;
            }
            responses.insert(status, response);
        }

        let mut operation = self.rest;
        operation.insert("tags".to_owned(), json!([tag]));
        operation.insert("responses".to_owned(), responses.into());
        if !self.parameters.is_empty() {
            let all = self
                .parameters
                .iter()
                .map(|parameter| shared.parameter(parameter));
            let all = all.collect::<Result<Value, _>>()?;
            operation.insert("parameters".to_owned(), all);
        }
        let mut security: Vec<_> = (self.scopes.iter())
            .map(|scope| json!({"oauth2": [scope]}))
            .collect();
        if !security.is_empty() {
            security.push(json!({"bearer": []}));
        }
        // Without this list, the document's default would apply.
        operation.entry("security").or_insert(security.into());
        Ok(operation.into())
    }
}

impl Shared {
    /// Returns a parameter, which may be the name of a shared one. Path parameters are required.
    fn parameter(&self, parameter: &Value) -> serde_json::Result<Value> {
        let mut parameter = match parameter.as_str() {
            Some(name) => named(&self.parameters, name)?.clone(),
            None => parameter.clone(),
        };
        if parameter.get("required").is_none() {
            parameter["required"] = (parameter["in"] == "path").into();
        }
        Ok(parameter)
    }

    /// The content of a response with its example. Lines are one text of any length, so that
    /// generated clients do not parse them as a single value.
    fn content(&self, kind: &str, content: &Value) -> serde_json::Result<Value> {
        Ok(match content.as_str() {
            Some(schema) if kind == LINES => json!({
                "schema": {
                    "type": "string",
                    "format": "binary",
                    "contentMediaType": "application/json",
                    "contentSchema": {"$ref": format!("#/components/schemas/{schema}")},
                },
                "example": format!("{}\n", named(&self.examples, schema)?),
            }),
            Some("page") => json!({
                "schema": {"type": "string"},
                "example": "<!doctype html>\n<html lang=\"en\">…</html>",
            }),
            Some(schema) => json!({
                "schema": {"$ref": format!("#/components/schemas/{schema}")},
                "example": named(&self.examples, schema)?,
            }),
            None => content.clone(),
        })
    }
}
