use super::*;

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
        saying(&content),
        json!({"choices": [{"message": {"content": parts}}]}),
        json!({"choices": [{"message": {"content": content}, "finish_reason": null}]}),
        json!({"choices": [{"message": {"content": content, "refusal": ""}}], "usage": null}),
    ] {
        let draft = said_of(ok(&body)).await.unwrap();
        assert!(matches!(
            draft.verdict,
            Verdict::Reject {
                code: ReasonCode::Fraud,
                ..
            }
        ));
        assert_eq!(draft.answer, content);
    }
}

#[tokio::test]
async fn an_unusable_answer_comes_back_with_its_faults() {
    let wrong = approval().to_string().replace("approve", "yes");
    let body = |body: &str| ResponseTemplate::new(200).set_body_string(body);
    let silence = "There is no JSON object in the answer.";
    let unread = "The answer could not be read.";
    for (reply, answer, fault) in [
        (
            ok(&saying(&wrong)),
            &*wrong,
            "`verdict` must be \"approve\" or \"reject\".",
        ),
        // This applies even if the answer looks complete.
        (
            ok(&cut(&wrong)),
            &wrong,
            "The answer was cut off before its end.",
        ),
        (ok(&saying("")), "", silence),
        (ok(&saying(" \n")), " \n", silence),
        (
            ok(&json!({"choices": [{"message": {"content": null}}]})),
            "",
            silence,
        ),
        (ok(&json!({"choices": [{}]})), "", silence),
        (ok(&json!({"choices": []})), "", "There was no answer."),
        (ok(&json!([])), "", "There was no answer."),
        (ok(&json!(null)), "", "There was no answer."),
        (body(""), "", unread),
        (body("half of {\"choices\": ["), "", unread),
        (body("data: {}\n\ndata: [DONE]"), "", unread),
    ] {
        let found = feedback(said_of(reply).await);
        let (answer, faults) = (answer.to_owned(), vec![fault.to_owned()]);
        assert_eq!(found, Feedback { answer, faults });
    }
}

#[tokio::test]
async fn a_refusal_is_the_end() {
    let words = "I can't help with that.";
    let mut by_part = saying("");
    by_part["choices"][0]["message"]["content"] = json!([{"type": "refusal", "refusal": words}]);
    let mut by_filter = saying("{\"markdown\": \"half");
    by_filter["choices"][0]["finish_reason"] = "content_filter".into();
    for (body, expect) in [
        (refusal(words), words),
        (by_part, words),
        (by_filter, "a content filter has stopped the answer"),
    ] {
        let message = permanent(said_of(ok(&body)).await);
        assert_eq!(message, format!("the model refused: {expect}"));
    }
}

#[tokio::test]
async fn a_gateways_error_with_a_success_status_is_transient() {
    let body = json!({"error": {"message": "Provider returned error", "code": 502}});
    let message = retry(said_of(ok(&body)).await);
    let expect = "the model's endpoint answered with an error: Provider returned error";
    assert_eq!(message, expect);
    let page = "\n<!doctype html><title>Welcome</title>";
    let page = ResponseTemplate::new(200).set_body_string(page);
    let (message, after) = unavailable(said_of(page).await);
    assert!(message.contains("check the base URL"), "{message}");
    assert_eq!(after, None);
}
