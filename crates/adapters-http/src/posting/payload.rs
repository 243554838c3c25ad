//! The OpenAPI schema of a push. Names, descriptions and limits of its fields are those of
//! `domain::posting`, which has the rules; what is said here are examples and patterns.

use domain::posting::{CompanyPatch, Expiration, PostingPatch};
use kernel::field::{FieldSpec, FieldValue};
use serde_json::json;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema::AdditionalProperties};

use crate::schema::{
    Named, filled_string, format, nullable_reference, object, object_or_empty_list,
    optional_amount, optional_string, reference, some_of, string, unless_empty,
};

/// The pattern of an absolute web address, with the surrounding white space that is trimmed.
const WEB_URL: &str = r"^\s*[Hh][Tt][Tt][Pp][Ss]?://\S.*$";

/// The schemas of the body.
pub fn schemas() -> Vec<Named> {
    // Only in words: generators would make members of them that can be set.
    let prohibited = PostingPatch::PROHIBITED.join("`, `");
    let posting = format!(
        "The fields to set. An absent field is kept, `null` clears an optional field, and lists \
         and `metadata` are replaced as a whole. To create, `title`, `raw_description`, \
         `company.name`, `company.website_url` and one of `application_email` and \
         `application_url` are required. Unknown fields are ignored, unless \
         `Prefer: handling=strict` has them refused. Single-line strings are trimmed, white space in \
         them becomes single spaces, and one without a visible character is treated as `null`; then \
         they must not contain control characters, nor bidirectional embeddings and overrides \
         (U+202A to U+202E). Lengths count Unicode characters. The character U+0000 is refused \
         everywhere, in unknown fields too. An integer may have a fraction of zero (`50000.0`, \
         `5e4`). The service alone sets `{prohibited}`: sending one of them is \
         refused, even as `null`.",
    );
    let company = "The company, found by its normalised `website_url` and created if it is new. On \
        update it may be partial: without `website_url` it updates the posting's company, with \
        another one the posting moves to that company.";
    let expiration = "An object, even an empty one, takes the posting down. `null` reopens a \
        posting that was taken down. An empty list counts as an empty object.";
    let expiration = object_or_empty_list().description(Some(expiration));
    vec![
        schema::<PostingPatch>("PostingPayload", object(&posting)),
        schema::<CompanyPatch>("CompanyPayload", object(company)),
        schema::<Expiration>("ExpirationPayload", expiration),
    ]
}

/// The schema of an object with known fields.
fn schema<T: FieldValue>(name: &'static str, object: ObjectBuilder) -> Named {
    let fields = T::FIELDS.iter();
    let object = fields.fold(object, |object, field| {
        object.property(field.name, property(field))
    });
    (name, object.into())
}

/// The schema of a field: an optional text of one line, unless it is something else.
fn property(field: &FieldSpec) -> RefOr<Schema> {
    let about = field.description.trim_start();
    let optional = || optional_string(about).max_length(field.max_length);
    let filled = || filled_string(about).max_length(field.max_length);
    let url = |about| {
        string(about)
            .format(Some(format("uri")))
            .pattern(Some(WEB_URL))
            .max_length(field.max_length)
    };
    match field.name {
        "title" => filled().examples(["Backend Engineer"]).into(),
        "raw_description" => filled().examples(["<p>You build our API.</p>"]).into(),
        "employment_types" => {
            let types = some_of(about, "EmploymentType");
            types.examples([json!(["full-time"])]).into()
        }
        "location_types" => {
            let types = some_of(about, "LocationType");
            types.examples([json!(["remote", "hybrid"])]).into()
        }
        "location_country_code" => {
            let code = optional().pattern(Some(r"^\s*([A-Za-z]{2})?\s*$"));
            code.examples(["DE"]).into()
        }
        "location_city" => optional().examples(["Berlin"]).into(),
        "salary_min" | "salary_max" => optional_amount(about).into(),
        "salary_currency_code" => {
            let code = optional().pattern(Some(r"^\s*([A-Za-z]{3})?\s*$"));
            code.examples(["EUR"]).into()
        }
        // A blank string only in words: any string would do for generators otherwise.
        "salary_period" => {
            let period = nullable_reference("SalaryPeriod");
            period.description(Some(about)).into()
        }
        "application_email" => {
            let address = string(
                "An e-mail address that is valid by the HTML standard, with no dot first, last or \
                 doubled before the `@`.",
            );
            let address = address.format(Some(format("email")));
            let address = unless_empty(address.examples(["jobs@example.com"]));
            address.description(Some(about)).into()
        }
        "application_url" => {
            let of = "An absolute `http` or `https` address, without user information.";
            let address = unless_empty(url(of).examples(["https://example.com/jobs/1"]));
            address.description(Some(about)).into()
        }
        "metadata" => object_or_empty_list()
            .description(Some(about))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .examples([json!({"source": "example"})])
            .into(),
        "company" => reference("CompanyPayload").into(),
        "expiration" => reference("ExpirationPayload").into(),
        "name" => filled().examples(["Example GmbH"]).into(),
        "website_url" => {
            let url = url(about).min_length(Some(1));
            url.examples(["https://example.com"]).into()
        }
        _ => optional().into(),
    }
}
