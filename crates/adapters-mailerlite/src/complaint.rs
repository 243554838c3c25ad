//! The body of an error.

use newsletter::subscriber::Email;
use serde_json::Value;

/// The start of the API's message for an absent subscriber, which a proxy would not send.
const NOBODY: &str = "No query results for model";

/// The start of the API's message for a suppressed subscriber, before its word for the status.
/// There is no code for it.
const SUPPRESSED: &str = "this subscriber is ";
const STANDINGS: [&str; 6] = [
    "unsubscribed",
    "bounced",
    "junk",
    "marked as junk",
    "marked as spam",
    "spam",
];

/// An error message, read leniently: an unusual form counts as none.
#[derive(Debug, Default)]
pub struct Complaint {
    /// The sentence; `None` if the body is not JSON.
    message: Option<String>,
    /// The messages by field.
    errors: Vec<(String, String)>,
}

impl Complaint {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let mut errors = Vec::new();
        for (field, texts) in body["errors"].as_object().into_iter().flatten() {
            // Usually a list, sometimes a text.
            let texts = texts
                .as_array()
                .map_or(std::slice::from_ref(texts), Vec::as_slice);
            let texts = texts.iter().filter_map(Value::as_str);
            errors.extend(texts.map(|text| (field.clone(), text.to_owned())));
        }
        Self {
            message: body["message"].as_str().map(str::to_owned),
            errors,
        }
    }

    /// Whether it has the form of the API's own errors.
    pub const fn is_of_the_api(&self) -> bool {
        self.message.is_some()
    }

    /// Whether it reports an absent subscriber.
    pub fn is_of_nobody(&self) -> bool {
        let message = self.message.as_deref().unwrap_or_default();
        message.starts_with(NOBODY)
    }

    /// Whether it reports nothing but the suppression of this subscriber.
    pub fn is_of_suppression(&self, email: &Email) -> bool {
        let says_so = |text: &str| {
            // The address itself may contain such a word.
            let text = text.to_lowercase().replace(email.as_str(), "");
            text.strip_prefix(SUPPRESSED).is_some_and(is_standing)
        };
        match self.errors.as_slice() {
            [] => self.message.as_deref().is_some_and(says_so),
            errors => errors
                .iter()
                .all(|(field, text)| field == "email" && says_so(text)),
        }
    }

    /// The whole as one text.
    pub fn text(&self) -> String {
        let mut text = self.message.clone().unwrap_or_default();
        for (field, complaint) in &self.errors {
            text.extend(["; ", field, ": ", complaint]);
        }
        text
    }
}

/// Whether a sentence goes on with a suppressed status.
fn is_standing(rest: &str) -> bool {
    STANDINGS.iter().any(|standing| {
        let behind = rest.strip_prefix(standing);
        behind.is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
    })
}
