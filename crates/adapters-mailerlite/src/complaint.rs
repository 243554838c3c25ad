use newsletter::subscriber::Email;
use serde_json::Value;

/// The start of the API's message for an absent subscriber.
const ABSENT: &str = "No query results for model";

/// The start of the API's message for a suppressed subscriber. The error has no code.
const SUPPRESSED: &str = "this subscriber is ";
const STATUSES: [&str; 6] = [
    "unsubscribed",
    "bounced",
    "junk",
    "marked as junk",
    "marked as spam",
    "spam",
];

/// An error message, read leniently: a message in an unusual form counts as none.
#[derive(Debug, Default)]
pub struct Complaint {
    message: Option<String>,
    errors: Vec<(String, String)>,
}

impl Complaint {
    pub fn read(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let mut errors = Vec::new();
        for (field, texts) in body["errors"].as_object().into_iter().flatten() {
            // The texts are usually a list, sometimes a string.
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

    pub const fn is_of_the_api(&self) -> bool {
        self.message.is_some()
    }

    pub fn is_absence(&self) -> bool {
        let message = self.message.as_deref().unwrap_or_default();
        message.starts_with(ABSENT)
    }

    pub fn is_suppression_of(&self, email: &Email) -> bool {
        let says_so = |text: &str| {
            // The address itself may contain such a word.
            let text = text.to_lowercase().replace(email.as_str(), "");
            text.strip_prefix(SUPPRESSED)
                .is_some_and(begins_with_status)
        };
        match self.errors.as_slice() {
            [] => self.message.as_deref().is_some_and(says_so),
            errors => errors
                .iter()
                .all(|(field, text)| field == "email" && says_so(text)),
        }
    }

    pub fn text(&self) -> String {
        let mut text = self.message.clone().unwrap_or_default();
        for (field, complaint) in &self.errors {
            text.extend(["; ", field, ": ", complaint]);
        }
        text
    }
}

fn begins_with_status(rest: &str) -> bool {
    STATUSES.iter().any(|status| {
        let behind = rest.strip_prefix(status);
        behind.is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
    })
}
