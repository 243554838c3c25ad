//! The OpenAPI schema of a push. The rules are in `domain::posting`; limits and names are taken
//! from there.

use domain::posting::{
    PROHIBITED,
    limits::{
        APPLICATION_URL, COMPANY_LOGO_PATH, COMPANY_NAME, COMPANY_WEBSITE_URL, EXPIRATION_REASON,
        LOCATION_CITY, METADATA_DEPTH, TITLE,
    },
};
use serde_json::json;
use utoipa::openapi::{
    ObjectBuilder,
    schema::{AdditionalProperties, AnyOfBuilder},
};

use crate::schema::{
    Named, filled_string, format, nullable_reference, object, object_or_empty_list,
    optional_amount, optional_string, reference, some_of, string, unless_empty,
};

/// The pattern of an absolute web address, with the surrounding white space that is trimmed.
const WEB_URL: &str = r"^\s*[Hh][Tt][Tt][Pp][Ss]?://\S.*$";

/// The schemas of the body.
pub fn schemas() -> Vec<Named> {
    vec![
        ("PostingPayload", posting().into()),
        ("CompanyPayload", company().into()),
        ("ExpirationPayload", expiration().into()),
    ]
}

fn posting() -> ObjectBuilder {
    // Only in words: generators would make members of them that can be set.
    let prohibited = PROHIBITED.join("`, `");
    let description = format!(
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
    object(&description)
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .property(
            "title",
            filled_string("The title of the position.")
                .max_length(Some(TITLE))
                .examples(["Backend Engineer"]),
        )
        .property(
            "raw_description",
            filled_string("The description, in HTML.").examples(["<p>You build our API.</p>"]),
        )
        .property(
            "employment_types",
            some_of(
                "Kinds of employment. Repeated values are stored once.",
                "EmploymentType",
            )
            .examples([json!(["full-time"])]),
        )
        .property(
            "location_types",
            some_of(
                "Where the work is done. Repeated values are stored once.",
                "LocationType",
            )
            .examples([json!(["remote", "hybrid"])]),
        )
        .property(
            "location_country_code",
            optional_string(
                "The country, as an officially assigned code of ISO 3166-1 alpha-2, in any case.",
            )
            .pattern(Some(r"^\s*([A-Za-z]{2})?\s*$"))
            .examples(["DE"]),
        )
        .property(
            "location_city",
            optional_string("The city.")
                .max_length(Some(LOCATION_CITY))
                .examples(["Berlin"]),
        )
        .property(
            "salary_min",
            optional_amount("The lower end of the salary, in whole units."),
        )
        .property(
            "salary_max",
            optional_amount("The upper end of the salary; at least `salary_min`, sent or stored."),
        )
        .property(
            "salary_currency_code",
            optional_string(
                "The currency, as a code of ISO 4217 that is assigned today, in any case.",
            )
            .pattern(Some(r"^\s*([A-Za-z]{3})?\s*$"))
            .examples(["EUR"]),
        )
        .property(
            "salary_period",
            // A blank string only in words: any string would do for generators otherwise.
            nullable_reference("SalaryPeriod").description(Some(
                "What the salary is paid for. A blank string clears the field, as `null` does.",
            )),
        )
        .property("application_email", application_email())
        .property("application_url", application_url())
        .property("metadata", metadata())
        .property(
            "expiration_reason",
            optional_string(
                "Why the posting was taken down. `expiration.reason` takes precedence.",
            )
            .max_length(Some(EXPIRATION_REASON)),
        )
        .property("company", reference("CompanyPayload"))
        .property("expiration", reference("ExpirationPayload"))
}

fn application_email() -> AnyOfBuilder {
    let address = string("An e-mail address that is valid by the HTML standard, with no dot first, last or doubled before the `@`.")
        .format(Some(format("email")))
        .examples(["jobs@example.com"]);
    unless_empty(address).description(Some(
        "Where to apply by mail. This or `application_url` is required, sent or stored.",
    ))
}

fn application_url() -> AnyOfBuilder {
    let address = string("An absolute `http` or `https` address, without user information.")
        .format(Some(format("uri")))
        .pattern(Some(WEB_URL))
        .max_length(Some(APPLICATION_URL))
        .examples(["https://example.com/jobs/1"]);
    unless_empty(address).description(Some(
        "Where to apply on the web. This or `application_email` is required, sent or stored.",
    ))
}

fn metadata() -> ObjectBuilder {
    object_or_empty_list()
        .description(Some(format!(
            "Free key-value pairs, returned as sent; at most {METADATA_DEPTH} levels deep. As in \
             I-JSON (RFC 7493), numbers must fit a double, and no object may have the same name \
             twice. An empty list counts as an empty object."
        )))
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .examples([json!({"source": "example"})])
}

fn company() -> ObjectBuilder {
    object(
        "The company, found by its normalised `website_url` and created if it is new. On update \
         it may be partial: without `website_url` it updates the posting's company, with another \
         one the posting moves to that company.",
    )
    .additional_properties(Some(AdditionalProperties::FreeForm(true)))
    .property(
        "name",
        filled_string("The company's name.")
            .max_length(Some(COMPANY_NAME))
            .examples(["Example GmbH"]),
    )
    .property(
        "website_url",
        string(
            "The company's website: an absolute `http` or `https` address, without user information. \
             Its normal form, which is what is shown, keeps to the limit too. It has a fragment \
             only if that begins with `/` or `!`.",
        )
            .format(Some(format("uri")))
            .pattern(Some(WEB_URL))
            .min_length(Some(1))
            .max_length(Some(COMPANY_WEBSITE_URL))
            .examples(["https://example.com"]),
    )
    .property(
        "logo_path",
        optional_string(
            "The company's logo: a relative path (which begins neither with `//` nor with a scheme \
             and has no backslash), or an absolute `http` or `https` address.",
        )
        .max_length(Some(COMPANY_LOGO_PATH)),
    )
}

fn expiration() -> ObjectBuilder {
    object_or_empty_list()
        .description(Some(
            "An object, even an empty one, takes the posting down. `null` reopens a posting that \
             was taken down. An empty list counts as an empty object.",
        ))
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .property(
            "reason",
            optional_string("Why the posting is taken down.").max_length(Some(EXPIRATION_REASON)),
        )
}
