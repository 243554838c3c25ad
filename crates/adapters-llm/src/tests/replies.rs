//! What answers of the API say, in all the forms that servers give them.

use super::*;

#[tokio::test]
async fn a_draft_is_read() {
    let content = approval().to_string();
    let draft = said_of(ok(&saying(&content))).await.unwrap();
    assert_eq!(draft.verdict, Verdict::Approve);
    assert_eq!(draft.answer, content);
}

#[tokio::test]
async fn content_may_come_in_parts_and_little_else() {
    let content = rejection("fraud").to_string();
    let (first, second) = content.split_at(40);
    let parts = json!([
        {"type": "text", "text": first},
        {"type": "image_url", "image_url": {"url": "https://h.example/"}},
        {"type": "text", "text": second},
    ]);
    for body in [
        json!({"choices": [{"message": {"content": parts}}]}),
        json!({"choices": [{"message": {"content": content}, "finish_reason": null}]}),
        json!({"choices": [{"message": {"content": content, "refusal": ""}}], "usage": null}),
    ] {
        let draft = said_of(ok(&body)).await.unwrap();
        let Verdict::Reject { code, .. } = draft.verdict else {
            panic!("{draft:?}");
        };
        assert_eq!(code, ReasonCode::Fraud);
    }
}

#[tokio::test]
async fn an_answer_of_no_use_comes_back_with_what_is_wrong() {
    let mut wrong = approval();
    wrong["verdict"] = "yes".into();
    let text = wrong.to_string();
    let feedback = feedback(said_of(ok(&saying(&text))).await);
    assert_eq!(feedback.answer, text);
    let expect = "`verdict` must be \"approve\" or \"reject\".";
    assert_eq!(feedback.faults, [expect]);
}

#[tokio::test]
async fn a_cut_answer_is_of_no_use_even_if_it_looks_whole() {
    let mut body = saying(&approval().to_string());
    body["choices"][0]["finish_reason"] = "length".into();
    let feedback = feedback(said_of(ok(&body)).await);
    assert_eq!(feedback.faults, ["The answer was cut off before its end."]);
    assert_eq!(feedback.answer, approval().to_string());
}

#[tokio::test]
async fn silence_is_of_no_use() {
    let mut without_content = saying("");
    without_content["choices"][0]["message"]["content"] = Value::Null;
    for body in [
        saying(""),
        saying(" \n"),
        without_content,
        json!({"choices": []}),
        json!({"choices": [{}]}),
        json!({}),
        json!([]),
        json!(null),
    ] {
        let feedback = feedback(said_of(ok(&body)).await);
        assert_eq!(feedback.answer.trim(), "", "{body}");
        assert_eq!(feedback.faults.len(), 1, "{body}");
    }
    for body in ["", "half of {\"choices\": [", "data: {}\n\ndata: [DONE]"] {
        let answer = ResponseTemplate::new(200).set_body_string(body);
        let feedback = feedback(said_of(answer).await);
        assert_eq!(feedback.faults, ["The answer could not be read."]);
    }
}

#[tokio::test]
async fn a_refusal_is_the_end() {
    let mut by_field = saying("");
    by_field["choices"][0]["message"]["refusal"] = "I can't help with that.".into();
    let mut by_part = saying("");
    by_part["choices"][0]["message"]["content"] =
        json!([{"type": "refusal", "refusal": "I can't help with that."}]);
    for body in [by_field, by_part] {
        let message = permanent(said_of(ok(&body)).await);
        assert_eq!(message, "the model refused: I can't help with that.");
    }
    let mut by_filter = saying("{\"markdown\": \"half");
    by_filter["choices"][0]["finish_reason"] = "content_filter".into();
    let message = permanent(said_of(ok(&by_filter)).await);
    assert_eq!(
        message,
        "the model refused: a content filter has stopped the answer"
    );
}

#[tokio::test]
async fn an_error_with_a_good_status_may_pass() {
    let body = json!({"error": {"message": "Provider returned error", "code": 502}});
    let error = said_of(ok(&body)).await.unwrap_err();
    let message = "the model's endpoint answered with an error: Provider returned error".to_owned();
    let expect = EnrichError::Retry {
        message,
        after: None,
    };
    assert_eq!(error, DraftError::Failed(expect));
}

#[tokio::test]
async fn a_web_page_is_a_wrong_address() {
    let page = "\n<!doctype html><title>Welcome</title>";
    let (message, after) =
        unavailable(said_of(ResponseTemplate::new(200).set_body_string(page)).await);
    assert!(message.contains("check the base URL"), "{message}");
    assert_eq!(after, None);
}
