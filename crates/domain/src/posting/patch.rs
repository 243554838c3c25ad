//! The changes of a push, with every value in its type.

use garde::Validate as _;
use kernel::{
    Website,
    field::{
        Choice, Choices, Field, Integer, Line, ListAsObject, Object, Patch, Shape, Text, line,
    },
    validation::FieldErrors,
};

use super::{
    CountryCode, CurrencyCode, Description, Details, EmploymentType, LocationType, Metadata,
    PostingPayload, SalaryPeriod,
    metadata::MetadataField,
    payload::{CompanyPayload, ExpirationPayload},
};

/// The change of `expiration`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpirationPatch {
    /// Absent: the push neither expires nor reopens.
    Keep,
    /// `null`: an expired posting is reopened.
    Reopen,
    /// An object: the posting expires, with an optional reason.
    Expire(Option<String>),
}

/// The changes of the posting's company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanyPatch {
    /// Whether the push has a company at all.
    pub sent: bool,
    /// The company to move to, or to be created with.
    pub website: Option<Website>,
    /// Its name.
    pub name: Option<String>,
    /// Its logo.
    pub logo_path: Patch<String>,
}

/// The changes of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the fields are those of `Details` and of the payload"
)]
pub struct PostingPatch {
    pub title: Patch<String>,
    pub raw_description: Patch<Description>,
    pub employment_types: Patch<Vec<EmploymentType>>,
    pub location_types: Patch<Vec<LocationType>>,
    pub location_country_code: Patch<CountryCode>,
    pub location_city: Patch<String>,
    pub salary_min: Patch<i64>,
    pub salary_max: Patch<i64>,
    pub salary_currency_code: Patch<CurrencyCode>,
    pub salary_period: Patch<SalaryPeriod>,
    pub application_email: Patch<String>,
    pub application_url: Patch<String>,
    pub metadata: Patch<Metadata>,
    pub expiration_reason: Patch<String>,
    pub company: CompanyPatch,
    pub expiration: ExpirationPatch,
}

impl PostingPayload {
    /// Turns the payload into a patch and its errors. The patch lacks values in error.
    pub fn into_patch(self) -> (PostingPatch, FieldErrors) {
        let errors = self.errors();
        let patch = PostingPatch {
            title: line(self.title),
            raw_description: Patch::of(self.raw_description, |Text(text)| Some(text.into())),
            employment_types: list(self.employment_types),
            location_types: list(self.location_types),
            location_country_code: term(self.location_country_code),
            location_city: line(self.location_city),
            salary_min: integer(self.salary_min),
            salary_max: integer(self.salary_max),
            salary_currency_code: term(self.salary_currency_code),
            salary_period: term(self.salary_period),
            application_email: line(self.application_email),
            application_url: line(self.application_url),
            metadata: metadata(self.metadata),
            expiration_reason: line(self.expiration_reason),
            company: company(self.company),
            expiration: expiration(self.expiration),
        };
        (patch, errors)
    }
}

fn integer(field: Field<Integer>) -> Patch<i64> {
    Patch::of(field, |Integer(number)| i64::try_from(number).ok())
}

fn term<T>(field: Field<Choice<T>>) -> Patch<T> {
    Patch::of(field, |Choice(term)| term)
}

/// Keeps the first of repeated items.
fn list<T: Copy + PartialEq>(field: Field<Choices<T>>) -> Patch<Vec<T>> {
    Patch::of(field, |Choices(items)| {
        let mut terms = Vec::with_capacity(items.len().min(8));
        for item in items {
            if let Field::Value(Choice(Some(term))) = item
                && !terms.contains(&term)
            {
                terms.push(term);
            }
        }
        Some(terms)
    })
}

fn metadata(MetadataField(field): MetadataField) -> Patch<Metadata> {
    Patch::of(field, Result::ok)
}

fn company(field: Field<Object<CompanyPayload>>) -> CompanyPatch {
    let Field::Value(Object(company)) = field else {
        return CompanyPatch::default();
    };
    CompanyPatch {
        sent: true,
        website: (company.website_url.into_value()).and_then(|sent| sent.website.ok()),
        name: company.name.into_value().map(|Line(text)| text),
        logo_path: line(company.logo_path),
    }
}

impl CompanyPatch {
    /// Parses a name, and a path to a logo or its absence, by the rules of a push.
    pub fn parse(name: Option<&str>, logo_path: Option<Option<&str>>) -> Result<Self, FieldErrors> {
        let payload = CompanyPayload {
            name: name.map_or(Field::Absent, Line::string),
            website_url: Field::Absent,
            logo_path: match logo_path {
                Some(Some(path)) => Line::string(path),
                Some(None) => Field::Null,
                None => Field::Absent,
            },
        };
        payload.validate().map_err(FieldErrors::from)?;
        Ok(company(Field::Value(Object(payload))))
    }
}

fn expiration(field: Field<ListAsObject<ExpirationPayload>>) -> ExpirationPatch {
    match field {
        Field::Absent => ExpirationPatch::Keep,
        Field::Null => ExpirationPatch::Reopen,
        Field::Value(ListAsObject(expiration)) => {
            ExpirationPatch::Expire(expiration.reason.into_value().map(|Line(text)| text))
        }
        // It is refused in any case; this suppresses errors about required fields.
        Field::Mistyped => ExpirationPatch::Expire(None),
    }
}

impl PostingPatch {
    /// Applies the patch to details.
    pub(super) fn apply_to(&self, details: &mut Details) {
        self.title.apply_required(&mut details.title);
        self.raw_description
            .apply_required(&mut details.raw_description);
        apply_list(&self.employment_types, &mut details.employment_types);
        apply_list(&self.location_types, &mut details.location_types);
        self.location_country_code
            .apply(&mut details.location_country_code);
        self.location_city.apply(&mut details.location_city);
        self.salary_min.apply(&mut details.salary_min);
        self.salary_max.apply(&mut details.salary_max);
        self.salary_currency_code
            .apply(&mut details.salary_currency_code);
        self.salary_period.apply(&mut details.salary_period);
        self.application_email.apply(&mut details.application_email);
        self.application_url.apply(&mut details.application_url);
        self.metadata.apply(&mut details.metadata);
        self.expiration_reason.apply(&mut details.expiration_reason);
    }
}

fn apply_list<T: Clone>(patch: &Patch<Vec<T>>, list: &mut Vec<T>) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => list.clear(),
        Patch::Set(terms) => list.clone_from(terms),
    }
}
