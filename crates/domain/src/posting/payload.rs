//! The body of a push as it was sent, and the rules that each field holds by itself.

use garde::Validate;
use kernel::{
    body::{self, BodyError, KnownFields},
    checks::{optional, required},
    field::{Choice, Choices, Field, Integer, Line, ListAsObject, Object, Presence, Text},
    validation::{FieldErrors, MOST_ERRORS},
};
use serde::Deserialize;

use super::{
    CountryCode, CurrencyCode, EmploymentType, LocationType, SalaryPeriod,
    checks::{SentWebsite, email, logo, not_sent, object, web_url, website},
    limits,
    metadata::MetadataField,
};

/// Declares the payload, with the prohibited fields beside it.
macro_rules! payload {
    (
        $(#[$meta:meta])* pub struct $name:ident { $($(#[$attr:meta])* $field:ident: $type:ty,)+ }
        prohibited { $($prohibited:ident,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, Deserialize, Validate)]
        #[serde(default)]
        pub struct $name {
            $($(#[$attr])* pub(super) $field: $type,)+
            $(#[garde(custom(not_sent))] $prohibited: Presence,)+
        }

        /// The fields that a body may have.
        const FIELDS: &[&str] = &[$(stringify!($field),)+];

        /// The fields that only the service sets; sending one, even as `null`, is an error.
        pub const PROHIBITED: &[&str] = &[$(stringify!($prohibited),)+];
    };
}

payload! {
    /// The body of a push, typed but not yet valid.
    pub struct PostingPayload {
        #[garde(custom(required), length(chars, max = limits::TITLE))]
        title: Field<Line>,
        #[garde(custom(required))]
        raw_description: Field<Text>,
        #[garde(custom(optional), dive)]
        employment_types: Field<Choices<EmploymentType>>,
        #[garde(custom(optional), dive)]
        location_types: Field<Choices<LocationType>>,
        #[garde(custom(optional))]
        location_country_code: Field<Choice<CountryCode>>,
        #[garde(custom(optional), length(chars, max = limits::LOCATION_CITY))]
        location_city: Field<Line>,
        #[garde(custom(optional))]
        salary_min: Field<Integer>,
        #[garde(custom(optional))]
        salary_max: Field<Integer>,
        #[garde(custom(optional))]
        salary_currency_code: Field<Choice<CurrencyCode>>,
        #[garde(custom(optional))]
        salary_period: Field<Choice<SalaryPeriod>>,
        #[garde(custom(optional), custom(email))]
        application_email: Field<Line>,
        #[garde(custom(optional), length(chars, max = limits::APPLICATION_URL), custom(web_url))]
        application_url: Field<Line>,
        #[garde(custom(object))]
        metadata: MetadataField,
        #[garde(custom(optional), length(chars, max = limits::EXPIRATION_REASON))]
        expiration_reason: Field<Line>,
        #[garde(custom(required), dive)]
        company: Field<Object<CompanyPayload>>,
        #[garde(custom(optional), dive)]
        expiration: Field<ListAsObject<ExpirationPayload>>,
    }
    prohibited {
        markdown_description,
        markdown_redacted_description,
        latitude,
        longitude,
        published_at,
        expire_at,
        is_featured,
        unique_source_identifier,
    }
}

/// The body's `company`.
#[derive(Clone, Debug, Default, Deserialize, Validate)]
#[serde(default)]
pub(super) struct CompanyPayload {
    #[garde(custom(required), length(chars, max = limits::COMPANY_NAME))]
    pub(super) name: Field<Line>,
    #[garde(custom(required), length(chars, max = limits::COMPANY_WEBSITE_URL), custom(website))]
    pub(super) website_url: Field<SentWebsite>,
    #[garde(custom(optional), length(chars, max = limits::COMPANY_LOGO_PATH), custom(logo))]
    pub(super) logo_path: Field<Line>,
}

/// The body's `expiration`.
#[derive(Clone, Debug, Default, Deserialize, Validate)]
#[serde(default)]
pub(super) struct ExpirationPayload {
    #[garde(custom(optional), length(chars, max = limits::EXPIRATION_REASON))]
    pub(super) reason: Field<Line>,
}

impl PostingPayload {
    /// The fields that are objects with known fields in them.
    pub(super) const OBJECTS: &[&str] = &["company", "expiration"];

    /// The names of all fields.
    pub(super) const KNOWN: KnownFields<'_> = KnownFields {
        fields: FIELDS,
        prohibited: PROHIBITED,
        objects: &[
            ("company", &["name", "website_url", "logo_path"]),
            ("expiration", &["reason"]),
        ],
    };

    /// Parses a body. Wrong types of fields are no errors here; see [`Self::errors`].
    pub(super) fn from_json(text: &str) -> Result<Self, BodyError> {
        body::read(text)
    }

    /// The errors of the payload itself, independent of the posting's state.
    pub fn errors(&self) -> FieldErrors {
        let mut errors = self
            .validate()
            .err()
            .map(FieldErrors::from)
            .unwrap_or_default();
        errors.leave_out(beyond(&self.employment_types) + beyond(&self.location_types));
        errors
    }
}

/// The number of wrong items of a list beyond those that are validated one by one.
fn beyond<T>(list: &Field<Choices<T>>) -> usize {
    list.value()
        .map_or(0, |list| list.wrong_beyond(MOST_ERRORS))
}
