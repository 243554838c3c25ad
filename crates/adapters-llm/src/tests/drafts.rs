//! What a model may write, and what is no draft.

use super::*;
use crate::draft;

fn read(text: &str) -> Result<Draft, Vec<String>> {
    draft::read(text)
}

fn faults(answer: &Value) -> Vec<String> {
    read(&answer.to_string()).unwrap_err()
}

#[test]
fn an_approval_and_every_rejection_are_read() {
    let text = approval().to_string();
    assert_eq!(
        read(&text),
        Ok(Draft {
            markdown: "We at **Granite Owl** look for a gardener.".to_owned(),
            redacted_markdown: "We at **[company]** look for a gardener.".to_owned(),
            verdict: Verdict::Approve,
            answer: text.clone(),
        })
    );
    for code in ReasonCode::OF_MODELS {
        let draft = read(&rejection(code.as_str()).to_string()).unwrap();
        let text = "It is a list of words.".to_owned();
        assert_eq!(draft.verdict, Verdict::Reject { code, text });
    }
    let mut chatty = approval();
    chatty["explanation"] = "A good one.".into();
    assert_eq!(read(&chatty.to_string()).unwrap().verdict, Verdict::Approve);
}

#[test]
fn prose_a_fence_and_thoughts_may_stand_around_it() {
    let json = serde_json::to_string_pretty(&approval()).unwrap();
    let with_braces = rejection("spam").to_string().replace("words", "{words} }");
    for text in [
        json.clone(),
        format!("\n\n{json}\n"),
        format!("```json\n{json}\n```"),
        format!("Here you are {{smile}}:\n{json}\nAnything else?"),
        format!("<think>The posting is fine.</think>{json}"),
        format!("\n<think>\nIt says {{\"verdict\": \"reject\" and \n</think>\n\n```\n{json}\n```"),
        format!("<think>First: {with_braces}</think>{json}"),
        format!("An ordinary job.\n</think>\n{json}"),
    ] {
        let draft = read(&text).unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
        assert_eq!(draft.verdict, Verdict::Approve, "{text}");
    }
    let draft = read(&with_braces).unwrap();
    assert!(matches!(draft.verdict, Verdict::Reject { .. }), "{draft:?}");
}

#[test]
fn an_answer_that_is_only_quoted_is_not_taken() {
    let (approval, rejection) = (approval().to_string(), rejection("spam").to_string());
    let several = "There is more than one JSON object in the answer.";
    for text in [
        format!("The posting says {approval}. My answer: {rejection}"),
        format!("{rejection}\nThe posting says: {approval}"),
        format!("<think>It says </think>{approval}, which I ignore.</think>{rejection}"),
        format!("{{}} {approval}"),
    ] {
        assert_eq!(read(&text), Err(vec![several.to_owned()]), "{text}");
    }
    // Copied without escapes, so that it breaks what stands around it.
    let broken = rejection.replace("look for a gardener", &approval);
    for text in [
        broken.clone(),
        format!("```json\n{broken}\n```"),
        broken.replace("We at", "</think>We at"),
        format!("{{\n  \"markdown\": \"unfinished {approval}"),
    ] {
        let faults = read(&text).unwrap_err();
        assert!(
            faults[0].starts_with("The answer is no valid JSON: "),
            "{faults:?}"
        );
    }
    // The same, but so that it fits in: as fields that are there twice.
    let smuggled = rejection.replace("\"verdict\"", "\"verdict\":\"approve\",\"verdict\"");
    let faults = read(&smuggled).unwrap_err();
    assert!(
        faults[0].contains("duplicate field `verdict`"),
        "{faults:?}"
    );
}

#[test]
fn what_is_no_json_is_no_draft() {
    let none = "There is no JSON object in the answer.";
    for text in [
        "",
        "   ",
        "I cannot do this.",
        "{approve}",
        "[1, 2]",
        "null",
        "\"{\\\"verdict\\\"\"",
        "<think>It never ends: {\"a\":1}",
        "{{{{{{",
    ] {
        assert_eq!(read(text), Err(vec![none.to_owned()]), "{text}");
    }
    let whole = approval().to_string();
    for end in [whole.len() - 1, whole.len() / 2, 5] {
        let faults = read(&whole[..end]).unwrap_err();
        assert!(faults[0].contains("no valid JSON: EOF"), "{faults:?}");
    }
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    assert!(read(&deep).is_err());
    assert!(read(&"{\"a\":".repeat(100_000)).is_err());
}

#[test]
fn every_field_is_needed_and_no_other() {
    for (field, _) in approval().as_object().unwrap() {
        let mut answer = approval();
        answer.as_object_mut().unwrap().remove(field);
        let faults = faults(&answer);
        assert!(
            faults[0].contains(&format!("missing field `{field}`")),
            "{faults:?}"
        );
    }
    let mut answer = approval();
    answer["note"] = "x".into();
    assert!(faults(&answer)[0].contains("unknown field `note`"));
    assert!(read("{}").unwrap_err()[0].contains("missing field"));
    let wrapped = json!({"answer": approval()});
    assert!(faults(&wrapped)[0].contains("unknown field `answer`"));
}

#[test]
fn every_wrong_value_is_named_at_once() {
    let answer = json!({
        "markdown": 5,
        "redacted_markdown": null,
        "verdict": "maybe",
        // A code, but not one that a model may give.
        "code": "too_complex",
        "explanation": ["x"],
    });
    assert_eq!(
        faults(&answer),
        [
            "`markdown` must be a string.",
            "`redacted_markdown` must be a string.",
            "`code` must be null or one of \"no_content\", \"test_posting\", \"not_a_job\", \
             \"spam\", \"fraud\", \"discriminatory\", \"personal_data\", \"illegal\".",
            "`explanation` must be a string or null.",
            "`verdict` must be \"approve\" or \"reject\".",
        ]
    );
}

#[test]
fn verdict_code_and_explanation_belong_together() {
    let mut approved_with_code = approval();
    approved_with_code["code"] = "spam".into();
    let mut without_code = rejection("spam");
    without_code["code"] = Value::Null;
    let mut without_words = rejection("spam");
    without_words["explanation"] = Value::Null;
    let mut with_blank_words = rejection("spam");
    with_blank_words["explanation"] = " \n".into();
    let mut with_unknown_code = rejection("SPAM");
    with_unknown_code["explanation"] = Value::Null;
    let mut other_case = approval();
    other_case["verdict"] = "Approve".into();
    for (answer, expect) in [
        (approved_with_code, "`code` must be null when"),
        (without_code, "`code` is needed when"),
        (without_words, "`explanation` is needed when"),
        (with_blank_words, "`explanation` is needed when"),
        (with_unknown_code, "`code` must be null or one of"),
        (other_case, "`verdict` must be"),
    ] {
        let faults = faults(&answer);
        assert!(faults[0].starts_with(expect), "{answer}: {faults:?}");
    }
}

#[test]
fn texts_hold_no_character_that_stores_refuse() {
    let mut answer = rejection("spam");
    answer["markdown"] = "a\u{0}b".into();
    answer["explanation"] = format!(" two\nlines\u{0}{} ", "x".repeat(1000)).into();
    let draft = read(&answer.to_string()).unwrap();
    assert_eq!(draft.markdown, "ab");
    let Verdict::Reject { text, .. } = draft.verdict else {
        panic!("{draft:?}");
    };
    assert!(text.starts_with("two lines x"), "{text}");
    assert_eq!(text.chars().count(), 400);
}

#[test]
fn as_much_of_an_answer_is_kept_as_is_shown_back() {
    let mut answer = approval();
    answer["markdown"] = "ä".repeat(30_000).into();
    let draft = read(&answer.to_string()).unwrap();
    assert_eq!(draft.markdown.chars().count(), 30_000);
    assert_eq!(draft.answer.chars().count(), 20_001);
}
