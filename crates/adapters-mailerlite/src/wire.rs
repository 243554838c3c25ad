//! The JSON that is sent and read.

use domain::subscriber::{
    Email,
    provider::{Fields as Shown, Found, Profile, ProviderId, ProviderStatus},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::{format_description::BorrowedFormatItem, macros::format_description};

/// `Y-m-d`.
const DATE: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// The body of an upsert. There is no `status` and no `resubscribe` in it on purpose: either
/// would make somebody active who wants no more.
#[derive(Debug, Serialize)]
pub struct Upsert<'a> {
    email: &'a str,
    fields: Fields<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<[&'a str; 1]>,
}

/// The fields of a person; `null` clears.
#[derive(Debug, Serialize)]
struct Fields<'a> {
    name: Option<&'a str>,
    country: Option<&'a str>,
    membership_plan_category: &'a str,
    member_status: &'a str,
    membership_expire_at: Option<String>,
}

impl<'a> Upsert<'a> {
    /// Tells what a person is like, and of a group that they are to join.
    pub fn new(profile: &'a Profile, group: Option<&'a str>) -> Self {
        Self {
            email: profile.email.as_str(),
            fields: Fields {
                name: profile.name.as_deref(),
                country: profile.country.as_deref(),
                membership_plan_category: profile.membership_plan_category,
                member_status: profile.member_status.as_str(),
                membership_expire_at: profile
                    .membership_expire_at
                    // A date has all that the format names, so this never fails.
                    .and_then(|date| date.format(DATE).ok()),
            },
            groups: group.map(|group| [group]),
        }
    }
}

/// A person, in an envelope.
#[derive(Debug, Deserialize)]
pub struct Envelope {
    data: Person,
}

#[derive(Debug, Deserialize)]
struct Person {
    id: String,
    status: String,
}

impl Envelope {
    /// The person; `None` when they have no id that could be asked for again.
    pub fn found(self) -> Option<Found> {
        let Person { id, status } = self.data;
        let status = ProviderStatus::parse(&status)?;
        is_id(&id).then_some(Found {
            id: ProviderId(id),
            status,
            unsubscribed_at: None,
            is_deleted: false,
            is_in_group: None,
            fields: Shown::default(),
        })
    }
}

/// Whether a text can be an id: in a path it must not mean anything else.
pub fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The body of an error. Read leniently: what is not said the usual way is not said.
#[derive(Debug, Default)]
pub struct Complaint {
    /// What is wrong, in a sentence.
    message: String,
    /// What is wrong with which field.
    errors: Vec<(String, String)>,
}

impl Complaint {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let mut errors = Vec::new();
        for (field, texts) in body["errors"].as_object().into_iter().flatten() {
            // A list as a rule, but a single text says as much.
            let texts = texts
                .as_array()
                .map_or(std::slice::from_ref(texts), Vec::as_slice);
            let texts = texts.iter().filter_map(Value::as_str);
            errors.extend(texts.map(|text| (field.clone(), text.to_owned())));
        }
        Self {
            message: body["message"].as_str().unwrap_or_default().to_owned(),
            errors,
        }
    }

    /// Whether it says that the person is suppressed in the account, and that therefore nothing
    /// is taken in for them. The provider has no code for that, only words about the address.
    pub fn is_of_suppression(&self, email: &Email) -> bool {
        const WORDS: [&str; 8] = [
            "unsubscribed",
            "bounced",
            "junk",
            "spam",
            "complain",
            "be imported",
            "be resubscribed",
            "be re-subscribed",
        ];
        let says_so = |text: &str| {
            // The address itself may have such a word in it.
            let text = text.to_lowercase().replace(email.as_str(), "");
            WORDS.iter().any(|word| text.contains(word))
        };
        if self.errors.is_empty() {
            return says_so(&self.message);
        }
        let mut about_address = self.errors.iter().filter(|(field, _)| field == "email");
        about_address.any(|(_, text)| says_so(text))
    }

    /// Whether it says that there is no such address, rather than no such person.
    pub fn is_of_address(&self) -> bool {
        self.message.starts_with("The route ")
    }

    /// All of it in one text.
    pub fn text(&self) -> String {
        let mut text = self.message.clone();
        for (field, complaint) in &self.errors {
            text.extend(["; ", field, ": ", complaint]);
        }
        text
    }
}
