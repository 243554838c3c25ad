//! The request for a draft.

use domain::enrichment::{Brief, Objection};
use serde::Serialize;
use serde_json::value::RawValue;
use url::Url;

use crate::{
    completion::{CUT_OFF, bounded},
    prompt,
};

/// Room for the form of the answer, an explanation, and some thinking, in tokens.
const SPARE_TOKENS: usize = 4_096;

/// The body of a request. It has no temperature or the like, which reasoning models refuse.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    response_format: ResponseFormat<'a>,
    /// The name that `OpenAI`'s reasoning models require; they refuse `max_tokens`. vLLM knows
    /// both, llama.cpp since its pull request 19831. Servers that know only the old one, such as
    /// Ollama (its issue 7125), ignore this and write up to their context size.
    max_completion_tokens: usize,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: JsonSchema<'a>,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a RawValue,
}

/// The posting in a request.
#[derive(Serialize)]
struct Posting<'a> {
    title: &'a str,
    company_name: &'a str,
    company_website: Option<&'a str>,
    city: Option<&'a str>,
    country: Option<&'a str>,
    description_markdown: &'a str,
}

/// Writes the body of a request for a draft.
pub fn body(
    model: &str,
    brief: &Brief<'_>,
    objection: Option<&Objection>,
) -> serde_json::Result<Vec<u8>> {
    // A model without an answer is asked anew: some chat templates accept neither an empty message
    // nor two of the same role.
    let shown = objection.filter(|objection| !objection.answer.trim().is_empty());
    let posting = posting(brief)?;
    let former = shown.map(|objection| bounded(&objection.answer));
    let complaint = shown.map(|objection| complaint(&objection.faults));
    let texts = [
        ("system", Some(prompt::TEXT)),
        ("user", Some(&posting)),
        ("assistant", former.as_deref()),
        ("user", complaint.as_deref()),
    ];
    let messages = texts
        .into_iter()
        .filter_map(|(role, content)| content.map(|content| Message { role, content }))
        .collect();
    serde_json::to_vec(&Request {
        model,
        messages,
        response_format: ResponseFormat {
            r#type: "json_schema",
            json_schema: JsonSchema {
                name: "enriched_posting",
                strict: true,
                schema: serde_json::from_str(prompt::SCHEMA)?,
            },
        },
        max_completion_tokens: allowance(brief.markdown, objection),
    })
}

/// The posting as one JSON object that its content cannot escape from, neither from a string nor
/// from the message. Tokenizers of some servers take marks such as `<|im_end|>` or `[/INST]` for
/// the end of a message even inside a text, so their first characters are written as escapes. Both
/// occur inside strings only.
fn posting(brief: &Brief<'_>) -> serde_json::Result<String> {
    let input = brief.input;
    let website = Url::parse(&input.company_website).ok();
    let json = serde_json::to_string(&Posting {
        title: &input.title,
        company_name: &input.company_name,
        company_website: website.as_ref().and_then(Url::host_str),
        city: input.city.as_deref(),
        country: input.country.as_ref().map(|country| country.as_str()),
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

/// The largest number of tokens for the answer. It repeats the description twice, at four bytes a
/// token in English and three in most languages. More would do harm: a server refuses what its
/// model can never write (16,384 tokens are usual, enough for 24 KB), and vLLM what does not fit
/// into the context beside the prompt. A retry gets twice the room, as for a model that reasons at
/// length.
fn allowance(markdown: &str, objection: Option<&Objection>) -> usize {
    let tokens = SPARE_TOKENS + markdown.len() / 2;
    let was_cut_off =
        objection.is_some_and(|objection| objection.faults.iter().any(|fault| fault == CUT_OFF));
    if was_cut_off { 2 * tokens } else { tokens }
}
