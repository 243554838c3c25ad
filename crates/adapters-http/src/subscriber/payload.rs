//! The OpenAPI schema of a report. The rules are in `newsletter::subscriber`; limits and names are
//! taken from there.

use newsletter::subscriber::{LONGEST_TEXT, MembershipStatus, PlanCategory};
use utoipa::openapi::{ObjectBuilder, Type};

use crate::schema::{
    Named, date, email, object, one_of, optional_string, or_null, reference, time, unless_empty,
};

/// The schemas of the body.
pub fn schemas() -> Vec<Named> {
    vec![
        ("SubscriberPayload", subscriber().into()),
        ("MembershipPayload", membership().into()),
        (
            "PlanCategory",
            one_of("The plan category of a membership.", PlanCategory::NAMES).into(),
        ),
        (
            "MembershipStatus",
            one_of("The status of a membership.", MembershipStatus::NAMES).into(),
        ),
    ]
}

fn subscriber() -> ObjectBuilder {
    object(
        "The data about the person. An absent field is kept and `null` clears it. Unknown \
         fields are ignored. Strings are trimmed, white space in them becomes single spaces, and \
         one without a visible character is treated as `null`; then they must not contain control \
         characters, nor bidirectional embeddings and overrides (U+202A to U+202E). Lengths count Unicode characters. The character U+0000 is refused everywhere.",
    )
    .property(
        "name",
        optional_string("The person's name.")
            .max_length(Some(LONGEST_TEXT))
            .examples(["Ada"]),
    )
    .property(
        "country",
        optional_string("The name of the person's country.")
            .max_length(Some(LONGEST_TEXT))
            .examples(["Germany"]),
    )
    .property("membership", reference("MembershipPayload"))
    .property(
        "previous_email",
        unless_empty(email("An address.").examples(["ada@old.example"])).description(Some(
            "The address that the person had before: the record moves with it.",
        )),
    )
    .property(
        "as_of",
        unless_empty(time("A moment.").examples(["2026-12-31T12:00:00Z"])).description(Some(
            "The time at which the report was true. A report that is older than the last accepted \
             one changes nothing.",
        )),
    )
}

fn membership() -> ObjectBuilder {
    or_null(Type::Object)
        .description(Some(
            "The person's membership, replaced as a whole; `null` for none.",
        ))
        .property("plan_category", reference("PlanCategory"))
        .required("plan_category")
        .property("status", reference("MembershipStatus"))
        .required("status")
        .property(
            "expires_at",
            unless_empty(date("A day.").examples(["2027-01-31"]))
                .description(Some("The day until which the membership is paid for.")),
        )
}
