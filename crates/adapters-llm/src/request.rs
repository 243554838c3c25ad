//! The request for a draft.

use enrichment::{Brief, Feedback};
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    completion::{CUT_OFF, bounded},
    dialect::Dialect,
    extra::ExtraBody,
    prompt,
};

/// Room for the form of the answer, a sentence, a few phrases and few thoughts, in tokens.
const SPARE_TOKENS: usize = 2_048;
/// The most room for further phrases.
const MOST_FOR_PHRASES: usize = 2_048;
/// How many times as much room an answer gets that thinks first.
const THOUGHTS: usize = 4;

/// The question to a model.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The posting.
    pub brief: &'a Brief<'a>,
    /// The feedback on the last answer.
    pub feedback: Option<&'a Feedback>,
}

/// The body of a request.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Box<RawValue>>,
    /// The limit of tokens, the temperature, and what an operator adds.
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// The posting in a request.
#[derive(Serialize)]
struct Posting<'a> {
    title: &'a str,
    company_name: &'a str,
    city: Option<&'a str>,
    country: Option<&'a str>,
    description_markdown: &'a str,
}

/// Writes the body of a request for a draft, with room for so many tokens.
pub fn body(
    model: &str,
    question: &Question<'_>,
    dialect: &Dialect,
    extra: &ExtraBody,
    room: usize,
) -> serde_json::Result<Vec<u8>> {
    let Question { brief, feedback } = *question;
    // A model without an answer is asked anew: some chat templates accept neither an empty message
    // nor two of the same role.
    let shown = feedback.filter(|feedback| !feedback.answer.trim().is_empty());
    let posting = posting(brief)?;
    let former = shown.map(|feedback| bounded(&feedback.answer));
    let complaint = shown.map(|feedback| complaint(&feedback.faults));
    let texts = [
        ("system", Some(prompt::TEXT)),
        ("user", Some(posting.as_str())),
        ("assistant", former.as_deref()),
        ("user", complaint.as_deref()),
    ];
    let message =
        |(role, content): (_, Option<&str>)| Some(json!({"role": role, "content": content?}));
    let mut fields = extra.fields().clone();
    fields.extend(dialect.limit().map(|limit| (limit.to_owned(), room.into())));
    if !dialect.own_temperature {
        // The same posting is to get the same verdict.
        fields.entry("temperature").or_insert(0.into());
    }
    serde_json::to_vec(&Request {
        model,
        messages: texts.into_iter().filter_map(message).collect(),
        response_format: dialect.format().map(response_format).transpose()?,
        fields,
    })
}

fn response_format(format: &str) -> serde_json::Result<Box<RawValue>> {
    /// What is before the schema, which is kept as text.
    const HEAD: &str =
        r#"{"type":"json_schema","json_schema":{"name":"reviewed_posting","strict":true,"schema":"#;
    RawValue::from_string(match format {
        "json_schema" => format!("{HEAD}{}}}}}", prompt::SCHEMA),
        _ => json!({"type": format}).to_string(),
    })
}

/// The posting as one JSON object that its content cannot escape from, neither from a string nor
/// from the message. Tokenizers of some servers take marks such as `<|im_end|>` or `[/INST]` for
/// the end of a message even inside a text, so their first characters are written as escapes. Both
/// occur inside strings only.
fn posting(brief: &Brief<'_>) -> serde_json::Result<String> {
    let json = serde_json::to_string(&Posting {
        title: brief.title,
        company_name: brief.company_name,
        city: brief.city,
        country: brief.country.as_ref().map(|country| country.as_str()),
        description_markdown: brief.markdown,
    })?;
    Ok(json
        .replace('<', "\\u003c")
        .replace("[INST]", "\\u005bINST]")
        .replace("[/INST]", "\\u005b/INST]"))
}

fn complaint(faults: &[String]) -> String {
    format!(
        "This answer cannot be used:\n- {}\n\nAnswer again about the same posting, in full, with \
         one JSON object that satisfies the schema and nothing else.",
        faults.join("\n- ")
    )
}

/// The room for an answer, in tokens. Phrases are at most a quarter of the text, at three bytes a
/// token and with as much for their form. More would do harm: a server refuses what its model can
/// never write, and vLLM what does not fit into the context beside the prompt. An answer that was
/// cut off had thoughts before it.
pub fn room(question: &Question<'_>, dialect: &Dialect) -> usize {
    let tokens = SPARE_TOKENS + (question.brief.markdown.len() / 6).min(MOST_FOR_PHRASES);
    let was_cut_off = question
        .feedback
        .is_some_and(|feedback| feedback.faults.iter().any(|fault| fault == CUT_OFF));
    let thinks = dialect.thinks || was_cut_off;
    dialect.room(if thinks { THOUGHTS * tokens } else { tokens })
}
