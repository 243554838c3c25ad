//! A subscriber, without the token of the link.

use fields::day;
use newsletter::subscriber::{self, MemberStatus as Stands, PlanCategory};
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};
use uuid::Uuid;

use crate::{
    json::Timestamp,
    schema::{one_of, vocabularies},
    view,
};

vocabularies! {
    /// Whether a person may get mail: the strongest status that was observed.
    SubscriberStatus(subscriber::SubscriberStatus);
    /// The status of a membership. Lapsed and renewed memberships cannot be distinguished.
    MemberStatus(subscriber::MemberStatus);
    /// An account at the e-mail provider.
    MailerliteAccount(subscriber::Account);
    /// Who started the person's move to the new account.
    MigrationSource(subscriber::MigrationSource);
}

view! {
    /// A newsletter subscriber.
    #[derive(Serialize, ToSchema)]
    pub struct Subscriber<'a>(subscriber: &'a subscriber::Subscriber) {
        /// The subscriber's id in this service.
        uuid: Uuid = subscriber.id.uuid(),
        /// The address, in lower case.
        #[schema(format = "email")]
        email: &'a str = subscriber.email.as_str(),
        /// As reported, trimmed.
        name: Option<&'a str> = subscriber.name.as_deref(),
        /// The country's name, as reported.
        country: Option<&'a str> = subscriber.country.as_deref(),
        status: SubscriberStatus = SubscriberStatus(subscriber.status),
        membership_plan_category: MembershipPlanCategory =
            MembershipPlanCategory(subscriber.membership_plan_category()),
        member_status: MemberStatus = MemberStatus(subscriber.member_status()),
        /// The day until which the membership is paid for.
        #[schema(value_type = Option<Date>)]
        membership_expire_at: Option<String> =
            (subscriber.membership.as_ref()).and_then(|held| held.expires_at).map(day::write),
        /// The account that the person is in.
        mailerlite_account: MailerliteAccount = MailerliteAccount(subscriber.account()),
        /// When the person moved to the new account.
        #[schema(value_type = Option<OffsetDateTime>)]
        migrated_at: Option<Timestamp> =
            subscriber.migrated.as_ref().map(|migrated| Timestamp(migrated.at)),
        migration_source: Option<MigrationSource> =
            subscriber.migrated.as_ref().map(|migrated| MigrationSource(migrated.source)),
    }
}

/// The plan categories of the specification: those of memberships, and one for no membership.
#[derive(Serialize)]
struct MembershipPlanCategory(&'static str);

impl PartialSchema for MembershipPlanCategory {
    fn schema() -> RefOr<Schema> {
        let names = [PlanCategory::NAMES, &[Stands::NonMember.as_str()]].concat();
        one_of("Whose membership it is.", &names).into()
    }
}

impl ToSchema for MembershipPlanCategory {}
