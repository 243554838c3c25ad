//! The answers of the model, correct or with a slip.

use serde_json::{Map, Value, json};

use super::{APPROVAL, REJECTION, Usage, fault::Slip, request::Question, schema};

/// Words in titles, with the code of the rejection for each.
const RULE: [(&str, &str); 4] = [
    ("SPAM", "spam"),
    ("FRAUD", "fraud"),
    ("COURSE", "not_a_job"),
    ("ILLEGAL", "illegal"),
];

/// The content of a choice in an answer.
#[derive(Debug)]
pub struct Completion {
    pub content: String,
    pub finish_reason: &'static str,
}

impl Completion {
    fn of(content: String) -> Self {
        Self {
            content,
            finish_reason: "stop",
        }
    }

    /// The token usage, at about four characters per token.
    pub fn usage(&self, question: &Question) -> Usage {
        let tokens = |characters: usize| u64::try_from(characters.div_ceil(4)).unwrap();
        let written = self.content.as_str();
        Usage {
            prompt_tokens: tokens(question.length),
            completion_tokens: tokens(written.chars().count()),
        }
    }
}

/// Answers a question. Fails if the schema has fields that the model does not know.
pub fn write(question: &Question, slip: Option<Slip>) -> Result<Completion, String> {
    let mut draft = well(question)?;
    let json = |draft: &Map<String, Value>| Value::Object(draft.clone()).to_string();
    let whole = json(&draft);
    let Some(slip) = slip else {
        return Ok(Completion::of(whole));
    };
    let content = match slip {
        Slip::Truncated => {
            return Ok(Completion {
                finish_reason: "length",
                ..Completion::of(beginning(&whole, 2).to_owned())
            });
        }
        Slip::Empty => String::new(),
        Slip::NoJson => "I have read the posting, and I think it is fine.".to_owned(),
        Slip::MissingField => {
            draft.remove("hide");
            json(&draft)
        }
    };
    Ok(Completion::of(content))
}

/// The correct answer.
fn well(question: &Question) -> Result<Map<String, Value>, String> {
    let posting = &question.posting;
    let offence = RULE.iter().find(|(word, _)| posting.title.contains(word));
    let (verdict, codes, sentence) = match offence {
        None => (
            "approve",
            vec![Value::Null, json!(""), json!("none")],
            APPROVAL,
        ),
        Some((_, code)) => ("reject", vec![json!(code)], REJECTION),
    };
    let passages: Vec<_> = offence.iter().map(|(word, _)| *word).collect();
    // Whatever the posting emphasises.
    let emphasised = posting.description.split("**").skip(1).step_by(2);
    let hide: Vec<_> = emphasised
        .map(|text| json!({"text": text, "kind": "company"}))
        .collect();
    let asked = question.schema["properties"].as_object();
    let mut draft = Map::new();
    for (key, schema) in asked.into_iter().flatten() {
        let choices = match key.as_str() {
            "verdict" => vec![json!(verdict)],
            "code" => codes.clone(),
            "sentence" => vec![json!(sentence), Value::Null],
            "passages" => vec![json!(passages)],
            "hide" => vec![json!(hide)],
            other => return Err(format!("The stand-in knows nothing about '{other}'.")),
        };
        let choice = choices
            .into_iter()
            .find(|choice| schema::is_satisfied(schema, choice))
            .ok_or_else(|| format!("The stand-in has nothing that fits '{key}': {schema}"))?;
        draft.insert(key.clone(), choice);
    }
    Ok(draft)
}

/// The first of so many equal parts of a text.
fn beginning(text: &str, parts: usize) -> &str {
    let length = text.chars().count() / parts;
    let end = text.char_indices().nth(length);
    end.map_or(text, |(end, _)| &text[..end])
}
