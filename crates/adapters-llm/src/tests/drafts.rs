use proptest::prelude::*;

use super::*;
use crate::draft::read;

fn faults(text: &str) -> String {
    read(text).map_or_else(
        |faults| faults.join("\n"),
        |draft| panic!("{text}: {draft:?}"),
    )
}

fn with(mut answer: Value, field: &str, value: Value) -> Value {
    answer[field] = value;
    answer
}

#[test]
fn an_approval_and_every_rejection_are_read() {
    let answer = approval().to_string();
    let hide = vec![Phrase {
        text: "Granite Owl".to_owned(),
        kind: PhraseKind::Company,
    }];
    let verdict = Verdict::Approve;
    assert_eq!(
        read(&answer),
        Ok(Draft {
            verdict,
            hide,
            answer: answer.clone()
        })
    );
    for code in MODEL_CODES {
        // The phrases of a rejection are ignored.
        let answer = with(rejection(code.as_str()), "hide", json!("x"));
        let answer = with(answer, "passages", json!(["a", 5, "b", "c", "d"])).to_string();
        let verdict = Verdict::Reject {
            code,
            text: "It is a list of words.".to_owned(),
            passages: ["a", "b", "c"].map(str::to_owned).into(),
        };
        let expect = Draft {
            verdict,
            hide: Vec::new(),
            answer: answer.clone(),
        };
        assert_eq!(read(&answer), Ok(expect));
    }
    let chatty = with(approval(), "sentence", "A good one.".into());
    assert_eq!(read(&chatty.to_string()).unwrap().verdict, Verdict::Approve);
    assert!(read(r#"{"verdict": "reject", "code": "spam", "sentence": "No."}"#).is_ok());
}

#[test]
fn prose_a_fence_and_thoughts_may_surround_it() {
    let json = serde_json::to_string_pretty(&approval()).unwrap();
    let with_braces = rejection("spam").to_string().replace("words", "{words} }");
    for text in [
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

/// Includes answers with quoted objects of the same form. In the file of cases, `APPROVAL` and
/// `REJECTION` are replaced with answers.
#[test]
fn faults_of_a_draft_are_sentences() {
    let (approval, rejection) = (approval().to_string(), rejection("spam").to_string());
    let mut expect = "";
    for line in include_str!("answers.txt").lines() {
        if let Some(fault) = line.strip_prefix("== ") {
            expect = fault;
            continue;
        }
        let broken = rejection.replace("a list of words", &approval);
        let text = line
            .replace("BROKEN", &broken)
            .replace("APPROVAL", &approval);
        let found = faults(&text.replace("REJECTION", &rejection).replace("\\n", "\n"));
        assert!(found.contains(expect), "{line}: {found}");
    }
    for text in [
        format!("{{\"a\":{}", "[".repeat(100_000)),
        "{\"a\":".repeat(100_000),
    ] {
        assert!(faults(&text).starts_with("The answer is no valid JSON: "));
    }
    assert!(faults(&approval[..approval.len() - 1]).contains("no valid JSON: EOF"));
}

#[test]
fn texts_are_of_a_length_that_stores_and_models_take() {
    let said = format!(" two\nlines\u{0}{} ", "x".repeat(1000));
    let draft = read(&with(rejection("spam"), "sentence", said.into()).to_string()).unwrap();
    let Verdict::Reject { text, .. } = draft.verdict else {
        panic!("{draft:?}");
    };
    assert!(
        text.starts_with("two lines") && !text.contains(char::is_control),
        "{text}"
    );
    assert_eq!(text.chars().count(), 400);
    let long = json!([{"text": "ä".repeat(30_000), "kind": "company"}]);
    let draft = read(&with(approval(), "hide", long).to_string()).unwrap();
    assert_eq!(draft.hide[0].text.chars().count(), 30_000);
    assert_eq!(draft.answer.chars().count(), 20_001);
}

fn odd() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec!["approve", "spam", "company", "Granite Owl", ""]);
    prop_oneof![
        Just(Value::Null),
        (-9..9_i32).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        text.clone()
            .prop_map(|text| json!([{"text": text, "kind": text}])),
        text.prop_map(|text| json!({"verdict": text, "hide": [text]})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_answer_is_a_verdict_with_phrases_of_its_own_or_has_faults(
        verdict in prop_oneof![Just(json!("approve")), Just(json!("reject")), odd()],
        code in prop_oneof![Just(Value::Null), Just(json!("spam")), odd()],
        sentence in prop_oneof![Just(json!("Because.")), odd()],
        phrases in prop::collection::vec((".{0,8}", prop::sample::select(&PhraseKind::ALL)), 0..4),
        hide in prop::option::of(odd()),
        around in "[^{}<]{0,8}",
    ) {
        let phrases = phrases.into_iter();
        let entry = |(text, kind): (_, PhraseKind)| json!({"text": text, "kind": kind.name()});
        let hide = hide.unwrap_or_else(|| phrases.map(entry).collect());
        let answer = json!({"verdict": verdict, "code": code, "sentence": sentence, "hide": hide});
        match read(&format!("{around}{answer}{around}")) {
            Err(faults) => prop_assert!(!faults.is_empty()),
            Ok(draft) => {
                let is_approved = draft.verdict == Verdict::Approve;
                prop_assert_eq!(verdict == "approve", is_approved);
                let shown = draft.hide.into_iter();
                let shown = shown.map(|Phrase { text, kind }| entry((text, kind)));
                let expect = if is_approved { hide } else { json!([]) };
                prop_assert_eq!(shown.collect::<Value>(), expect);
            }
        }
    }
}
