//! The schema of a posting as JSON-LD.

use serde_json::{Value, json};
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, RefOr, Schema, Type, schema::AnyOfBuilder};

use crate::schema::{Named, format, object, one_of, string, time};

/// The name of the schema.
pub const NAME: &str = "JobPosting";

type Property = (&'static str, RefOr<Schema>);

/// An object of schema.org, whose first properties are always there.
fn node<const ALWAYS: usize, const KNOWN: usize>(
    kind: &str,
    description: &str,
    always: [Property; ALWAYS],
    if_known: [Property; KNOWN],
) -> ObjectBuilder {
    let of_type = one_of("The type.", &[kind]);
    let node = object(description)
        .property("@type", of_type)
        .required("@type");
    let node = always.into_iter().fold(node, |node, (name, schema)| {
        node.property(name, schema).required(name)
    });
    if_known
        .into_iter()
        .fold(node, |node, (name, schema)| node.property(name, schema))
}

/// A schema for an employer that is hidden or shown.
fn either(hidden: ObjectBuilder, shown: ObjectBuilder) -> RefOr<Schema> {
    AnyOfBuilder::new().item(hidden).item(shown).into()
}

/// The schema of the document.
pub fn schema() -> Named {
    let types = ["FULL_TIME", "PART_TIME", "CONTRACTOR", "INTERN"];
    let types = ArrayBuilder::new().items(one_of("A kind of employment.", &types));
    let direct = ObjectBuilder::new().schema_type(Type::Boolean);
    let confidential = one_of("A hidden company.", &["confidential"]);
    let uuid = string("The posting's `uuid`.").format(Some(format("uuid")));
    let country = node(
        "Country",
        "Where people work remotely.",
        [("name", code())],
        [],
    );
    let context = one_of("The vocabulary.", &["https://schema.org/"]);
    let url = address().description(Some("Where to apply; absent of a hidden company."));
    let job = node(
        "JobPosting",
        "An approved posting in the words of schema.org. What is not known is absent.",
        [
            ("@context", context.into()),
            ("title", string("The title.").into()),
            ("description", string("HTML of plain elements.").into()),
            ("datePosted", time("When it was first approved.").into()),
            ("hiringOrganization", either(confidential, organization())),
            ("identifier", either(uuid, identifier())),
            (
                "directApply",
                direct
                    .description(Some("Whether people apply at `url`."))
                    .into(),
            ),
        ],
        [
            ("url", url.into()),
            ("validThrough", time("When its lifetime ends.").into()),
            ("employmentType", types.into()),
            (
                "jobLocationType",
                one_of("Of remote work.", &["TELECOMMUTE"]).into(),
            ),
            ("applicantLocationRequirements", country.into()),
            ("jobLocation", place().into()),
            ("baseSalary", salary().into()),
        ],
    );
    (NAME, job.into())
}

fn address() -> ObjectBuilder {
    string("An absolute address.").format(Some(format("uri")))
}

fn code() -> RefOr<Schema> {
    string("ISO 3166-1 alpha-2.").into()
}

fn organization() -> ObjectBuilder {
    node(
        "Organization",
        "The company.",
        [
            ("name", string("Its name.").into()),
            ("sameAs", address().into()),
        ],
        [("logo", address().into())],
    )
}

fn identifier() -> ObjectBuilder {
    node(
        "PropertyValue",
        "The identifier that was pushed.",
        [
            ("name", string("The company's name.").into()),
            ("value", string("The identifier.").into()),
        ],
        [],
    )
}

fn place() -> ObjectBuilder {
    let city = string("The city.").into();
    let address = node(
        "PostalAddress",
        "The place of work.",
        [("addressCountry", code())],
        [("addressLocality", city)],
    );
    node(
        "Place",
        "Where the work is.",
        [("address", address.into())],
        [],
    )
}

fn salary() -> ObjectBuilder {
    let amount = || -> RefOr<Schema> {
        let amount = ObjectBuilder::new().schema_type(Type::Integer);
        amount.minimum(Some(0)).into()
    };
    let period = one_of(
        "The period that it is for.",
        &["HOUR", "WEEK", "MONTH", "YEAR"],
    );
    let value = node(
        "QuantitativeValue",
        "An amount, or the ends of a range.",
        [],
        [
            ("value", amount()),
            ("minValue", amount()),
            ("maxValue", amount()),
            ("unitText", period.into()),
        ],
    );
    node(
        "MonetaryAmount",
        "The salary.",
        [
            ("currency", string("ISO 4217.").into()),
            ("value", value.into()),
        ],
        [],
    )
}

/// The example, of a hidden company.
pub fn example() -> Value {
    json!({
        "@context": "https://schema.org/",
        "@type": "JobPosting",
        "title": "Backend Engineer",
        "description": "<p>You build our API at [company].</p>",
        "datePosted": "2026-01-31T12:00:04.25Z",
        "validThrough": "2026-04-01T12:00:04.25Z",
        "employmentType": ["FULL_TIME"],
        "hiringOrganization": "confidential",
        "identifier": "0190a1b2-0000-7000-8000-000000000001",
        "directApply": false,
        "jobLocation": {
            "@type": "Place",
            "address": {
                "@type": "PostalAddress",
                "addressLocality": "Berlin",
                "addressCountry": "DE"
            }
        },
        "baseSalary": {
            "@type": "MonetaryAmount",
            "currency": "EUR",
            "value": {
                "@type": "QuantitativeValue",
                "minValue": 60_000,
                "maxValue": 80_000,
                "unitText": "YEAR"
            }
        }
    })
}
