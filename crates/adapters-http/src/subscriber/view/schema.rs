//! The answers, as the OpenAPI document describes them.

use newsletter::subscriber::{
    Account, MemberStatus, MigrationSource, PlanCategory, SubscriberStatus,
};
use serde_json::json;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

use crate::openapi::schema::{
    Named, email, object, one_of, optional_date, optional_one_of, optional_string, optional_time,
    reference, uuid, with_all,
};

/// The schemas of the answers.
pub fn schemas() -> Vec<Named> {
    let answer = with_all(
        object("One subscriber."),
        [("data", reference("Subscriber"))],
    );
    vec![
        ("SubscriberAnswer", answer.into()),
        ("Subscriber", subscriber().into()),
    ]
}

/// The specification's plan categories: those of memberships, and the one for having none.
pub fn plan_categories() -> Vec<&'static str> {
    let none = MemberStatus::NonMember.as_str();
    PlanCategory::NAMES.iter().copied().chain([none]).collect()
}

fn subscriber() -> ObjectBuilder {
    with_membership(with_person(object("A newsletter subscriber."))).examples([example()])
}

fn with_person(subscriber: ObjectBuilder) -> ObjectBuilder {
    with_all::<RefOr<Schema>>(
        subscriber,
        [
            ("uuid", uuid("The subscriber's id in this service.").into()),
            ("email", email("The address, in lower case.").into()),
            ("name", optional_string("As reported, trimmed.").into()),
            (
                "country",
                optional_string("The country's name, as reported.").into(),
            ),
            (
                "status",
                one_of(
                    "Whether the person may be written to. The strongest that the provider ever \
                     said stands.",
                    SubscriberStatus::NAMES,
                )
                .into(),
            ),
        ],
    )
}

fn with_membership(subscriber: ObjectBuilder) -> ObjectBuilder {
    with_all::<RefOr<Schema>>(
        subscriber,
        [
            (
                "membership_plan_category",
                one_of("Whose membership it is.", &plan_categories()).into(),
            ),
            (
                "member_status",
                one_of(
                    "Where the membership stands. One that lapsed and one that was renewed look \
                     the same.",
                    MemberStatus::NAMES,
                )
                .into(),
            ),
            (
                "membership_expire_at",
                optional_date("Until when the membership is paid for.").into(),
            ),
            (
                "mailerlite_account",
                one_of("The account that the person is in.", Account::NAMES).into(),
            ),
            (
                "migrated_at",
                optional_time("When the person moved to the new account.").into(),
            ),
            (
                "migration_source",
                optional_one_of("Who moved them.", MigrationSource::NAMES).into(),
            ),
        ],
    )
}

fn example() -> serde_json::Value {
    json!({
        "uuid": "0190a1b2-0000-7000-8000-000000000000",
        "email": "ada@example.com",
        "name": "Ada",
        "country": "Germany",
        "status": SubscriberStatus::Active.as_str(),
        "membership_plan_category": PlanCategory::Individual.as_str(),
        "member_status": MemberStatus::ActiveOrExpired.as_str(),
        "membership_expire_at": "2027-01-31",
        "mailerlite_account": Account::Old.as_str(),
        "migrated_at": null,
        "migration_source": null,
    })
}
