use enrichment::{Brief, Feedback};
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};

use crate::{
    completion::{CUT_OFF, bounded},
    dialect::Dialect,
    extra::ExtraBody,
    prompt,
};

/// The least room, in tokens: for the answer's form, a sentence, a few phrases and short thoughts.
const SPARE_TOKENS: usize = 2_048;
/// How much room longer texts get for more phrases, in tokens.
const MOST_FOR_PHRASES: usize = 2_048;
/// The factor of the room for models whose answers begin with thoughts.
const THOUGHTS: usize = 4;

#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub brief: &'a Brief<'a>,
    pub feedback: Option<&'a Feedback>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Box<RawValue>>,
    /// The limit of tokens, the temperature, and the operator's fields.
    #[serde(flatten)]
    fields: Map<String, Value>,
}

#[derive(Serialize)]
struct Posting<'a> {
    title: &'a str,
    company_name: &'a str,
    city: Option<&'a str>,
    country: Option<&'a str>,
    /// Only set if the addresses have changed since the last verdict, because the posting may have
    /// been approved with others.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    applications_now_go_to: &'a [String],
    description_markdown: &'a str,
}

/// The body of a request. `room` is the answer's limit in tokens.
pub fn body(
    model: &str,
    question: &Question<'_>,
    dialect: &Dialect,
    extra: &ExtraBody,
    room: usize,
) -> serde_json::Result<Vec<u8>> {
    let Question { brief, feedback } = *question;
    // Some chat templates accept no empty message and no two consecutive messages of one role.
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
        // The same posting must get the same verdict.
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
    const HEAD: &str =
        r#"{"type":"json_schema","json_schema":{"name":"reviewed_posting","strict":true,"schema":"#;
    RawValue::from_string(match format {
        "json_schema" => format!("{HEAD}{}}}}}", prompt::SCHEMA),
        _ => json!({"type": format}).to_string(),
    })
}

/// The posting as a JSON object whose content cannot escape from the message. Even inside a text,
/// some tokenizers treat marks such as `<|im_end|>` or `[/INST]` as its end. Therefore the first
/// characters of such marks are escaped. In JSON, these marks occur only inside strings.
fn posting(brief: &Brief<'_>) -> serde_json::Result<String> {
    let json = serde_json::to_string(&Posting {
        title: brief.title,
        company_name: brief.company_name,
        city: brief.city,
        country: brief.country.as_ref().map(|country| country.as_str()),
        applications_now_go_to: brief.new_domains,
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

/// The room for an answer, in tokens. Phrases are at most a quarter of the text, at three bytes per
/// token, and need as much again for their form. A larger limit is not possible: servers refuse
/// more tokens than the model can write, and vLLM also refuses more than fit into the context. If
/// the model thinks or its last answer was cut off, the room includes thoughts.
pub fn room(question: &Question<'_>, dialect: &Dialect) -> usize {
    let tokens = SPARE_TOKENS + (question.brief.markdown.len() / 6).min(MOST_FOR_PHRASES);
    let was_cut_off = question
        .feedback
        .is_some_and(|feedback| feedback.faults.iter().any(|fault| fault == CUT_OFF));
    let thinks = dialect.thinks || was_cut_off;
    dialect.room(if thinks { THOUGHTS * tokens } else { tokens })
}
