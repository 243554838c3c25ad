//! Fuzzes the answers of a language model and its endpoint. Checks that a draft comes from the only
//! object in the answer, and that refusals lead to a finite sequence of request forms.

#![no_main]

use adapters_llm::fuzz;
use domain::posting::Verdict;
use enrichment::DraftError;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|data: &[u8]| {
    let _ = fuzz::read(data);
    assert!(fuzz::forms(data) < 32, "the forms end");
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    assert!(fuzz::forms(json!({"message": text}).to_string().as_bytes()) < 32);
    let drafted = fuzz::draft(text);
    match &drafted {
        Ok(draft) => {
            let open = text.rfind("</think>").unwrap_or_default();
            let start = text[open..].find('{').expect("an object") + open;
            let end = text.rfind('}').expect("its end") + 1;
            // With braces in the prose around the object, this text is not JSON.
            if let Ok(object) = serde_json::from_str::<Value>(&text[start..end]) {
                let is_approved = matches!(draft.verdict, Verdict::Approve);
                assert_eq!(object["verdict"] == "approve", is_approved);
                for (index, phrase) in draft.hide.iter().enumerate() {
                    assert!(is_approved, "a rejection hides nothing");
                    assert_eq!(object["hide"][index]["text"], phrase.text);
                    assert_eq!(object["hide"][index]["kind"], phrase.kind.name());
                }
            }
            // With a second object, the answer is ambiguous.
            assert!(fuzz::draft(&format!("{text}{{}}")).is_err());
        }
        Err(faults) => assert!(!faults.is_empty(), "a fault is reported"),
    }
    let message = json!({"role": "assistant", "content": text});
    let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    let wrapped = fuzz::read(body.to_string().as_bytes()).expect("it is of the API");
    match (drafted, wrapped) {
        (Ok(draft), Ok(wrapped)) => assert_eq!(draft, wrapped),
        (Err(faults), Err(DraftError::Unusable(feedback))) => {
            assert_eq!(faults, feedback.faults);
        }
        (drafted, wrapped) => panic!("{drafted:?} {wrapped:?}"),
    }
    let cut = json!({"choices": [{"message": message, "finish_reason": "length"}]});
    let cut = fuzz::read(cut.to_string().as_bytes()).expect("it is of the API");
    assert!(cut.is_err(), "half an answer is none");
});
