//! The body of an error.

use newsletter::subscriber::Email;
use serde_json::Value;

/// With this the API begins to say that there is nobody. A proxy says it otherwise.
const NOBODY: &str = "No query results for model";

/// With this the API begins to say that it takes nothing in for a person who is suppressed, and
/// these are its words for how the person stands. It has no code for that.
const SUPPRESSED: &str = "this subscriber is ";
const STANDINGS: [&str; 6] = [
    "unsubscribed",
    "bounced",
    "junk",
    "marked as junk",
    "marked as spam",
    "spam",
];

/// What an error says. Read leniently: what is not said the usual way is not said.
#[derive(Debug, Default)]
pub struct Complaint {
    /// What is wrong, in a sentence; `None` where that is not said in JSON.
    message: Option<String>,
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
            message: body["message"].as_str().map(str::to_owned),
            errors,
        }
    }

    /// Whether it is in the form that the API's own errors have.
    pub const fn is_of_the_api(&self) -> bool {
        self.message.is_some()
    }

    /// Whether it says that there is nobody.
    pub fn is_of_nobody(&self) -> bool {
        let message = self.message.as_deref().unwrap_or_default();
        message.starts_with(NOBODY)
    }

    /// Whether all that it says is that the person is suppressed in the account, and that
    /// therefore nothing is taken in.
    pub fn is_of_suppression(&self, email: &Email) -> bool {
        let says_so = |text: &str| {
            // The address itself may have such a word in it.
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

    /// All of it in one text.
    pub fn text(&self) -> String {
        let mut text = self.message.clone().unwrap_or_default();
        for (field, complaint) in &self.errors {
            text.extend(["; ", field, ": ", complaint]);
        }
        text
    }
}

/// Whether a sentence goes on with how a suppressed person stands.
fn is_standing(rest: &str) -> bool {
    STANDINGS.iter().any(|standing| {
        let behind = rest.strip_prefix(standing);
        behind.is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
    })
}
