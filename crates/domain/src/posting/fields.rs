//! The fields of a push. This one list defines parsing, refusals, storage, suggestions for unknown
//! names, and the OpenAPI schema.

use fields::{
    DayOrTime, FieldValue as _, Patch, Sent, SentWebsite, WebsiteKey,
    checks::value,
    email, fields, is_short_when_encoded,
    validation::FieldErrors,
    website::{check_logo_path, check_web_url, domain_of_url, encode_markup},
};

use time::OffsetDateTime;

use super::{
    CountryCode, CurrencyCode, Description, EmploymentType, LocationType, Locations, Metadata,
    SalaryPeriod, Values,
};

/// Checks the address for applications, which must be deliverable. Subscribers' addresses have a
/// less strict rule, because accounts may already have them.
pub(crate) fn check_email(text: &str) -> Result<(), &'static str> {
    let parts = email::parts(text).filter(email::Parts::is_dot_string);
    parts.map(|_| ()).ok_or("must be a valid e-mail address")
}

/// Declares [`Details`] and [`PostingPatch`]: `required` fields are never empty, `lists` may be
/// empty, `optional` fields may be `None`; `others` are not stored with the posting.
macro_rules! posting_fields {
    (
        required { $(
            $(#[doc = $doc:literal])+ $(#[garde($($rule:tt)+)])? $field:ident: $type:ty,
        )+ }
        lists { $(
            $(#[doc = $list_doc:literal])+ $list:ident: $item:ty,
        )+ }
        optional { $(
            $(#[doc = $optional_doc:literal])+ $(#[garde($($optional_rule:tt)+)])?
            $optional:ident: $optional_type:ty,
        )+ }
        others { $($other:tt)+ }
        prohibited { $($prohibited:ident,)+ }
    ) => {
        /// The pushed part of a posting. The first push is applied to the default value.
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct Details {
            $($(#[doc = $doc])+ pub $field: $type,)+
            $($(#[doc = $list_doc])+ pub $list: Vec<$item>,)+
            $($(#[doc = $optional_doc])+ pub $optional: Option<$optional_type>,)+
        }

        impl Details {
            pub(super) fn differences(&self, other: &Self) -> Values {
                let mut values = Values::default();
                $(values.note(stringify!($field), &self.$field, &other.$field);)+
                $(values.note(stringify!($list), &self.$list, &other.$list);)+
                $(values.note(stringify!($optional), &self.$optional, &other.$optional);)+
                values.drop_text()
            }

            pub(super) fn set(&mut self, values: &Values) {
                $(values.put(stringify!($field), &mut self.$field);)+
                $(values.put(stringify!($list), &mut self.$list);)+
                $(values.put(stringify!($optional), &mut self.$optional);)+
            }
        }

        fields! {
            /// The changes of a push.
            pub struct PostingPatch {
                $($(#[doc = $doc])+ $(#[garde($($rule)+)])? required $field: $type,)+
                $($(#[doc = $list_doc])+ optional $list: Vec<$item>,)+
                $(
                    $(#[doc = $optional_doc])+
                    $(#[garde($($optional_rule)+)])?
                    optional $optional: $optional_type,
                )+
                $($other)+
            }
            prohibited { $($prohibited,)+ }
        }

        impl Details {
            /// The fields that may be without a value.
            pub const OPTIONAL_FIELDS: &[&str] =
                &[$(stringify!($list),)+ $(stringify!($optional),)+];

            /// The optional fields that are set, as bits in the order of
            /// [`OPTIONAL_FIELDS`](Self::OPTIONAL_FIELDS).
            pub(crate) fn set_fields(&self) -> u64 {
                let is_set = [$(!self.$list.is_empty(),)+ $(self.$optional.is_some(),)+];
                let bits = is_set.into_iter().zip(0..);
                bits.fold(0, |set, (is_set, at)| set | u64::from(is_set) << at)
            }
        }

        impl PostingPatch {
            pub(crate) fn apply_to(&self, details: &mut Details) {
                $(self.$field.apply_required(&mut details.$field);)+
                $(self.$list.apply_list(&mut details.$list);)+
                $(self.$optional.apply(&mut details.$optional);)+
                if let Some(reason) = self.inner_reason() {
                    details.expiration_reason = Some(reason.clone());
                }
            }
        }
    };
}

posting_fields! {
    required {
        /// The title of the position.
        #[garde(length(chars, max = 255))]
        title: String,
        /// The description, in HTML.
        raw_description: Description,
    }
    lists {
        /// Kinds of employment. Repeated values are stored once.
        employment_types: EmploymentType,
        /// Where the work is done. Repeated values are stored once.
        location_types: LocationType,
    }
    optional {
        /// The country, as an officially assigned code of ISO 3166-1 alpha-2, in any case.
        location_country_code: CountryCode,
        /// The city.
        #[garde(length(chars, max = 255))]
        location_city: String,
        /// The lower end of the salary, in whole units.
        salary_min: i64,
        /// The upper end of the salary; at least the sent or stored `salary_min`.
        salary_max: i64,
        /// The currency, as a code of ISO 4217 that is assigned today, in any case.
        salary_currency_code: CurrencyCode,
        /// The period of the salary. A blank string clears the field, as `null` does.
        salary_period: SalaryPeriod,
        /// Where to apply by mail. This or `application_url` must be sent or already stored.
        #[garde(custom(value(check_email)))]
        application_email: String,
        /// Where to apply on the web. This or `application_email` must be sent or already stored.
        #[garde(length(chars, max = 2048), custom(value(check_web_url)))]
        application_url: String,
        /// Free key-value pairs, returned as sent; at most 64 levels deep. As in I-JSON (RFC 7493),
        /// numbers must fit a double, and no object may have the same name twice. An empty list
        /// counts as an empty object.
        metadata: Metadata,
        /// Why the posting was taken down. `expiration.reason` takes precedence.
        #[garde(length(chars, max = 255))]
        expiration_reason: String,
        /// The closing date of the source: a date (in UTC) or an RFC 3339 time. The posting expires
        /// at its end. A later closing date reopens a posting that expired so.
        valid_through: DayOrTime,
        /// When the source first published the posting: a date, or an RFC 3339 time; not in the
        /// future.
        date_posted: DayOrTime,
        /// The employer's own number of the position.
        #[garde(length(chars, max = 255))]
        requisition_id: String,
        /// The region: a code of ISO 3166-2, or a name.
        #[garde(length(chars, max = 255))]
        location_region: String,
        /// The postal code.
        #[garde(length(chars, max = 32))]
        location_postal_code: String,
        /// Every place of the job, where there is more than one: at most 50, each with a country
        /// code, a region, a city or a postal code.
        locations: Locations,
    }
    others {
        /// The company.
        #[garde(dive)]
        required company: CompanyPatch,
        /// An object expires the posting; `null` reopens an expired posting.
        #[garde(dive)]
        optional expiration: Expiration,
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

fields! {
    /// The changes of the posting's company.
    pub struct CompanyPatch {
        /// The company's name.
        #[garde(length(chars, max = 255))]
        required name: String,
        /// The company's website: an absolute `http` or `https` address. The website identifies the
        /// company. The scheme, a leading `www.`, tracking parameters, a trailing slash and a
        /// fragment that does not begin with `/` or `!` do not count. User information is dropped.
        #[garde(length(chars, max = 1024), custom(value(is_short_when_encoded::<1024>)))]
        required website_url: SentWebsite,
        /// The company's logo: a relative path (which begins neither with `//` nor with a scheme
        /// and has no backslash), or an absolute `http` or `https` address.
        #[garde(length(chars, max = 1024), custom(value(check_logo_path)))]
        optional logo_path: String,
    }
}

fields! {
    /// The expiry that a push asks for.
    pub struct Expiration {
        /// Why the posting is taken down.
        #[garde(length(chars, max = 255))]
        optional reason: String,
    }
    with {
        /// An empty list is an empty object: PHP cannot tell them apart.
        fn array<'de, A: serde::de::SeqAccess<'de>>(
            mut items: A,
        ) -> Result<Sent<Self>, A::Error> {
            let mut is_empty = true;
            while items.next_element::<serde::de::IgnoredAny>()?.is_some() {
                is_empty = false;
            }
            Ok(if is_empty {
                Sent::set(Self::default())
            } else {
                Sent::is_not(Self::EXPECTED, "an array")
            })
        }
    }
}

impl Details {
    /// The end of the source's closing date.
    pub fn closes_at(&self) -> Option<OffsetDateTime> {
        self.valid_through.map(DayOrTime::end)
    }

    pub(super) fn domains(&self) -> [Option<String>; 2] {
        let link = self.application_url.as_deref().and_then(domain_of_url);
        let mail = self.application_email.as_deref();
        [link, mail.and_then(email::domain_of)]
    }
}

impl PostingPatch {
    /// The changes of the company; empty if the push has none.
    pub const fn company(&self) -> &CompanyPatch {
        const NONE: &CompanyPatch = &CompanyPatch {
            name: Patch::Keep,
            website_url: Patch::Keep,
            logo_path: Patch::Keep,
        };
        match &self.company {
            Patch::Set(company) => company,
            Patch::Keep | Patch::Clear => NONE,
        }
    }

    pub(crate) fn has_fields(&self) -> bool {
        let expiration = self.expiration.clone();
        *self
            != Self {
                expiration,
                ..Self::default()
            }
    }

    pub(crate) fn closes_after(&self, stored: &Details) -> Option<OffsetDateTime> {
        match &self.valid_through {
            Patch::Keep => stored.closes_at(),
            Patch::Clear => None,
            Patch::Set(date) => Some(date.end()),
        }
    }

    /// Percent-encodes characters of the application link and logo path that a page must not
    /// contain.
    pub(super) fn encode_addresses(&mut self, errors: &mut FieldErrors) {
        encode("application_url", 2048, &mut self.application_url, errors);
        if let Patch::Set(company) = &mut self.company {
            encode("company.logo_path", 1024, &mut company.logo_path, errors);
        }
    }

    /// The reason of an expiry after the push. The reason within `expiration` takes precedence.
    pub(crate) fn reason_after<'a>(&'a self, stored: Option<&'a str>) -> Option<&'a str> {
        let outer = match &self.expiration_reason {
            Patch::Keep => stored,
            Patch::Clear => None,
            Patch::Set(reason) => Some(reason.as_str()),
        };
        self.inner_reason().map(String::as_str).or(outer)
    }

    fn inner_reason(&self) -> Option<&String> {
        self.expiration.value()?.reason.value()
    }

    /// The paths of fields that a new posting requires and the push does not set.
    pub(crate) fn missing_to_create(&self) -> impl Iterator<Item = String> {
        let own = self.missing().into_iter().map(str::to_owned);
        let of_company = self.company().missing().into_iter();
        own.chain(of_company.map(|field| format!("company.{field}")))
    }
}

/// Percent-encodes an address. The result must keep the length limit, because a client may send it
/// back.
fn encode(field: &str, longest: usize, address: &mut Patch<String>, errors: &mut FieldErrors) {
    let Patch::Set(address) = address else { return };
    let sent = address.len();
    encode_markup(address);
    let length = address.chars().count();
    if address.len() > sent && length > longest {
        let why = format!(
            "must be at most {longest} characters long when it is percent-encoded, and has \
             {length} then"
        );
        errors.add(field, why);
    }
}

impl CompanyPatch {
    /// The key of the company to move to, or to create.
    pub fn key(&self) -> Option<&WebsiteKey> {
        self.website_url.value()?.key.as_ref().ok()
    }

    /// Parses a name, and a logo path or its absence, by the rules of a push.
    pub fn parse(name: Option<&str>, logo_path: &Patch<&str>) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::new();
        let name = name.map(String::string).unwrap_or_default();
        let logo_path = match logo_path {
            Patch::Keep => Sent::default(),
            Patch::Clear => Sent::null(),
            Patch::Set(path) => String::string(path),
        };
        let patch = Self {
            name: name.required().report("name", &mut errors),
            website_url: Patch::Keep,
            logo_path: logo_path.report("logo_path", &mut errors),
        };
        let (mut patch, mut errors) = Sent::set_with(patch, errors).checked();
        encode("logo_path", 1024, &mut patch.logo_path, &mut errors);
        if errors.is_empty() {
            Ok(patch)
        } else {
            Err(errors)
        }
    }
}
