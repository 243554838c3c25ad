//! Step by step: what the model is asked, and what comes out.

use super::*;

#[test]
fn rules_alone_need_no_model() {
    let pipeline = Pipeline::by_rules(Arc::new(PlainRules));
    let input = input(SOURCE);
    let enrichment = block_on(&pipeline, &input).unwrap();
    assert_eq!(enrichment, prepared(&input));
    assert_eq!(enrichment.verdict, Verdict::Approve);
    assert_eq!(enrichment.texts.markdown, SOURCE);
    assert_eq!(enrichment.coordinates, Some(PLACE));
    assert_eq!(pipeline.unjudged(&input), Some(enrichment));
}

#[test]
fn a_rejection_by_rules_asks_nobody() {
    let (outcome, model) = enrich_input(PlainRules, [Ok(good())], &input("---"));
    let expect = Verdict::Reject {
        code: ReasonCode::NoContent,
        text: "Nothing in it.".to_owned(),
    };
    assert_eq!(outcome.unwrap().verdict, expect);
    assert_eq!(model.asked(), []);
}

#[test]
fn a_model_approves_and_says_what_to_hide() {
    let (outcome, model) = enrich(PlainRules, [Ok(good())]);
    let enrichment = outcome.unwrap();
    let prepared = prepared(&input(SOURCE));
    assert_eq!(enrichment.verdict, Verdict::Approve);
    assert_eq!(enrichment.texts.markdown, prepared.texts.markdown);
    assert_eq!(
        enrichment.texts.redacted_markdown,
        prepared.texts.redacted_markdown.replace("cook", "[more]")
    );
    assert_eq!(model.asked(), [None]);
}

#[test]
fn a_model_rejects_and_the_texts_are_those_of_the_rules() {
    let (outcome, model) = enrich(
        PlainRules,
        [Ok(rejection(ReasonCode::Fraud, "It wants a deposit."))],
    );
    let enrichment = outcome.unwrap();
    let expect = Verdict::Reject {
        code: ReasonCode::Fraud,
        text: format!("{} It wants a deposit.", ReasonCode::Fraud.sentence()),
    };
    assert_eq!(enrichment.verdict, expect);
    assert_eq!(enrichment.texts, prepared(&input(SOURCE)).texts);
    assert_eq!(model.asked(), [None]);
}

#[test]
fn a_faulty_draft_is_objected_to_once() {
    let (outcome, model) = enrich(PlainRules, [Ok(bad()), Ok(good())]);
    assert!(outcome.unwrap().texts.redacted_markdown.contains("[more]"));
    let objection = Objection {
        answer: bad().answer,
        faults: vec!["`Bergen` is not there.".to_owned()],
    };
    assert_eq!(model.asked(), [None, Some(objection)]);
}

#[test]
fn an_unusable_answer_is_objected_to_once() {
    let (outcome, model) = enrich(PlainRules, [Err(unusable("{", "No JSON.")), Ok(good())]);
    assert!(outcome.is_ok());
    let objection = Objection {
        answer: "{".to_owned(),
        faults: vec!["No JSON.".to_owned()],
    };
    assert_eq!(model.asked(), [None, Some(objection)]);
}

#[test]
fn two_answers_of_no_use_are_for_an_operator() {
    let at_fault = || Ok(bad());
    let no_json = || Err(unusable("{", "No JSON."));
    for (first, second, names) in [
        (at_fault(), at_fault(), "`Bergen` is not there."),
        (at_fault(), no_json(), "No JSON."),
        (no_json(), at_fault(), "`Bergen` is not there."),
    ] {
        let (outcome, model) = enrich(PlainRules, [first, second, Ok(good())]);
        let Err(EnrichError::Permanent(message)) = outcome else {
            panic!("{outcome:?}");
        };
        assert!(message.contains(names), "{message}");
        assert_eq!(model.asked().len(), 2);
    }
}

#[test]
fn a_failure_is_passed_on() {
    let unavailable = EnrichError::Unavailable {
        message: "no answer".to_owned(),
        after: Some(std::time::Duration::from_secs(7)),
    };
    let failed = || Err(DraftError::Failed(unavailable.clone()));
    for (answers, asked) in [
        (vec![failed(), Ok(good())], 1),
        (
            vec![Err(unusable("{", "No JSON.")), failed(), Ok(good())],
            2,
        ),
    ] {
        let (outcome, model) = enrich(PlainRules, answers);
        assert_eq!(outcome, Err(unavailable.clone()));
        assert_eq!(model.asked().len(), asked);
    }
}

#[test]
fn the_place_is_that_of_the_rules() {
    let mut nowhere = input(SOURCE);
    nowhere.city = None;
    for (input, expect) in [(input(SOURCE), Some(PLACE)), (nowhere, None)] {
        let (outcome, _) = enrich_input(PlainRules, [Ok(good())], &input);
        assert_eq!(outcome.unwrap().coordinates, expect);
    }
}

#[test]
fn a_text_of_the_rules_that_breaks_a_rule_is_shown_to_nobody() {
    let pipeline = Pipeline::by_rules(Arc::new(Odd::Leaking));
    let input = input(SOURCE);
    let outcome = block_on(&pipeline, &input);
    let Err(EnrichError::Permanent(message)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        message,
        "the enrichment breaks a rule: the redacted text shows the company"
    );
    assert_eq!(pipeline.unjudged(&input), None);
    for draft in [good(), rejection(ReasonCode::Spam, "It sells a course.")] {
        let (outcome, _) = enrich(Odd::Leaking, [Ok(draft)]);
        assert!(matches!(outcome, Err(EnrichError::Permanent(_))));
    }
}

#[test]
fn a_model_is_given_the_clean_description() {
    struct Reader;

    #[async_trait::async_trait]
    impl Model for Reader {
        fn edition(&self) -> &'static str {
            ""
        }

        async fn draft(
            &self,
            brief: &Brief<'_>,
            _objection: Option<&Objection>,
        ) -> Result<Draft, DraftError> {
            assert_eq!(brief.markdown, "Cook wanted");
            Ok(approval(&[]))
        }
    }

    let pipeline = Pipeline::with_model(Arc::new(PlainRules), Arc::new(Reader));
    let input = input("<p>Cook wanted</p>");
    let prepared = prepared(&input);
    let outcome = block_on(&pipeline, &input);
    assert_eq!(outcome, Ok(prepared));
}

#[test]
fn a_posting_that_takes_too_much_is_rejected_by_rules() {
    let (outcome, model) = enrich(Odd::Endless, [Ok(good())]);
    let enrichment = outcome.unwrap();
    let expect = Verdict::Reject {
        code: ReasonCode::TooComplex,
        text: ReasonCode::TooComplex.sentence().to_owned(),
    };
    assert_eq!(enrichment.verdict, expect);
    assert_eq!(enrichment.texts, EnrichedTexts::default());
    assert_eq!(model.asked(), []);
    let pipeline = Pipeline::by_rules(Arc::new(Odd::Endless));
    assert_eq!(pipeline.unjudged(&input(SOURCE)), None);
}

#[test]
fn a_draft_that_takes_too_much_is_objected_to() {
    let answers = [Ok(good()), Ok(approval(&[]))];
    let (outcome, model) = enrich(Odd::EndlessDrafts, answers);
    assert_eq!(outcome, Ok(prepared(&input(SOURCE))));
    assert!(model.asked()[1].as_ref().unwrap().faults[0].contains("too long"));
}

#[test]
fn stopped_work_has_no_outcome() {
    let pipeline = Pipeline::by_rules(Arc::new(Odd::Stopped));
    let outcome = block_on(&pipeline, &input(SOURCE));
    assert!(
        matches!(outcome, Err(EnrichError::Retry { .. })),
        "{outcome:?}"
    );
}
