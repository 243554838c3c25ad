use std::sync::atomic::Ordering;

use posting_text::rules::{Breach, CheckError, DETAIL};

use super::*;
use crate::sentence;

#[test]
fn without_a_judge_rules_approve_unobjectionable_postings() {
    let input = input(SOURCE);
    let enrichment = by_rules(&input).unwrap();
    assert_eq!(enrichment.verdict, Verdict::Approve);
    assert_eq!(
        enrichment.texts.redacted_markdown,
        "[company] looks for a cook. Write to [email] or see [link]. You like fish, and have \
         cooked some before."
    );
    assert_eq!(enrichment.texts.redacted_title.as_deref(), Some("Cook"));
    assert!(enrichment.coordinates.is_some() && enrichment.min_hash.is_some());
    let unjudged = Pipeline::new(None, |_| {}).unjudged(&input);
    assert_eq!(unjudged, Some(enrichment));
}

#[test]
fn no_name_of_the_company_is_readable() {
    let names = ["Fjellvik", "Havgard", "Skogbrink", "Elvestad"];
    for name in names {
        let others = names.iter().filter(|other| **other != "Elvestad");
        let texts = by_rules(&EnrichmentInput {
            title: format!("Cook at {name}"),
            company_name: "Elvestad".to_owned(),
            other_names: others.map(ToString::to_string).collect(),
            ..input(&format!("{name} is hiring. At {name} you cook."))
        });
        let texts = texts.unwrap().texts;
        assert_eq!(texts.redacted_title.as_deref(), Some("Cook at [company]"));
        assert_eq!(
            texts.redacted_markdown,
            "[company] is hiring. At [company] you cook."
        );
    }
}

#[test]
fn a_rejection_by_rules_calls_no_model() {
    let (outcome, asked) = enrich_input(&input("<p>T<b>BD</b></p>"), [Ok(good())]);
    let expect = Verdict::Reject {
        code: ReasonCode::NoContent,
        text: sentence(ReasonCode::NoContent).to_owned(),
        passages: vec!["TBD".to_owned()],
    };
    let enrichment = outcome.unwrap();
    assert_eq!(enrichment.verdict, expect);
    assert_eq!(enrichment.by, DecidedBy::Rules("10".to_owned()));
    assert_eq!(asked, []);
}

#[test]
fn a_model_approves_with_phrases_to_hide() {
    let (outcome, asked) = enrich([Ok(good())]);
    let (enrichment, prepared) = (outcome.unwrap(), by_rules(&input(SOURCE)).unwrap());
    assert_eq!(enrichment.verdict, Verdict::Approve);
    assert_eq!(enrichment.coordinates, prepared.coordinates);
    assert_eq!(enrichment.texts.markdown, prepared.texts.markdown);
    assert_eq!(
        enrichment.texts.redacted_markdown,
        prepared
            .texts
            .redacted_markdown
            .replace("like fish", "[person]")
    );
    assert_eq!(asked, [None]);
}

#[test]
fn phrases_that_are_not_there_are_dropped_and_counted() {
    let draft = approval(&[
        ("like fish", PhraseKind::Person),
        ("Like Fish", PhraseKind::Person),
    ]);
    let (source, stop) = (input(SOURCE), StopFlag::default());
    let case = Case::read(&source, &stop).unwrap();
    let bold = input("<p>Cook <b>wanted</b></p>");
    let bold = Case::read(&bold, &stop).unwrap();
    assert_eq!(bold.brief().markdown, "Cook **wanted**");
    assert_eq!(case.dropped(&draft), Ok(1));
    assert_eq!(case.dropped(&good()), Ok(0));
    let (outcome, asked) = enrich([Ok(draft)]);
    let (with_it, _) = enrich([Ok(good())]);
    assert_eq!(outcome.unwrap().texts, with_it.unwrap().texts);
    assert_eq!(asked, [None]);
}

#[test]
fn a_model_rejects_and_the_texts_are_those_of_the_rules() {
    let mut draft = rejection(ReasonCode::Fraud, "Acmera AS wants a deposit.");
    if let Verdict::Reject { passages, .. } = &mut draft.verdict {
        *passages = ["looks for a cook.", "looks for a COOK", " Cook ", ""]
            .map(str::to_owned)
            .into();
    }
    let (outcome, _) = enrich([Ok(draft)]);
    let expect = Verdict::Reject {
        code: ReasonCode::Fraud,
        text: format!("{} [company] wants a deposit.", sentence(ReasonCode::Fraud)),
        passages: vec!["looks for a cook.".to_owned(), "Cook".to_owned()],
    };
    let enrichment = outcome.unwrap();
    assert_eq!(enrichment.verdict, expect);
    assert_eq!(enrichment.by, DecidedBy::Model("1 scripted".to_owned()));
    assert_eq!(enrichment.texts, by_rules(&input(SOURCE)).unwrap().texts);
}

#[test]
fn an_answer_of_no_use_is_asked_for_again_with_feedback() {
    let quoted = "Most texts in `hide` are neither in the title nor in the description: \
                  `Bergen`. Copy them letter for letter.";
    for (first, answer, fault) in [
        (Ok(bad()), bad().answer, quoted),
        (unusable("{", "No JSON."), "{".to_owned(), "No JSON."),
    ] {
        let (outcome, asked) = enrich([first, Ok(good())]);
        assert!(
            outcome
                .unwrap()
                .texts
                .redacted_markdown
                .contains("[person]")
        );
        let faults = vec![fault.to_owned()];
        assert_eq!(asked, [None, Some(Feedback { answer, faults })]);
    }
}

#[test]
fn two_answers_of_no_use_are_for_an_operator() {
    let (at_fault, no_json) = (|| Ok(bad()), || unusable("{", "No JSON."));
    for (first, second, names) in [
        (at_fault(), at_fault(), "`Bergen`"),
        (at_fault(), no_json(), "No JSON."),
        (no_json(), at_fault(), "`Bergen`"),
    ] {
        let (outcome, asked) = enrich([first, second, Ok(good())]);
        let Err(EnrichError::Permanent(message)) = outcome else {
            panic!("{outcome:?}");
        };
        assert!(message.contains(names), "{message}");
        assert_eq!(asked.len(), 2);
    }
}

#[test]
fn a_failure_is_passed_on() {
    let unavailable = EnrichError::Unavailable {
        message: "no answer".to_owned(),
        after: Some(Duration::from_secs(7)),
    };
    let failed = || Err(DraftError::Failed(unavailable.clone()));
    for answers in [vec![failed()], vec![unusable("{", "No JSON."), failed()]] {
        let asked = answers.len();
        let (outcome, feedback) = enrich(answers);
        assert_eq!(outcome, Err(unavailable.clone()));
        assert_eq!(feedback.len(), asked);
    }
}

#[test]
fn a_text_that_breaks_a_rule_is_not_shown() {
    let (input, stop) = (input(SOURCE), StopFlag::default());
    let case = Case::read(&input, &stop).unwrap();
    // No detail of a rejection breaks a rule; only the text below does.
    let detail = "é".repeat(DETAIL);
    let rejections = MODEL_CODES.map(|code| rejection(code, &detail));
    for verdict in rejections {
        let (outcome, _) = enrich([Ok(verdict)]);
        assert!(outcome.is_ok(), "{outcome:?}");
    }
    for verdict in [good(), rejection(ReasonCode::Spam, "It sells a course.")] {
        let mut judged = case.by_rules();
        judged.verdict = verdict.verdict;
        judged.prepared.redacted_markdown = SOURCE.to_owned();
        let checked = case.checked(judged);
        assert!(
            matches!(checked, Err(CheckError::Breach(Breach::Shows(_)))),
            "{checked:?}"
        );
    }
}

#[test]
fn a_posting_that_takes_too_much_is_rejected_by_rules() {
    let list = "<ol start=999990><li>x".repeat(8) + &"<li>aaaa".repeat(7_500);
    let endless = input(&list);
    let (outcome, asked) = enrich_input(&endless, []);
    let enrichment = outcome.unwrap();
    let expect = Verdict::Reject {
        code: ReasonCode::TooComplex,
        text: sentence(ReasonCode::TooComplex).to_owned(),
        passages: Vec::new(),
    };
    assert_eq!(enrichment.verdict, expect);
    assert_eq!(enrichment.texts, domain::posting::EnrichedTexts::default());
    assert_eq!(asked, []);
    assert_eq!(Pipeline::new(None, |_| {}).unjudged(&endless), None);
}

#[test]
fn a_draft_that_takes_too_much_is_asked_for_again_with_feedback() {
    let endless = approval(&[(&"fish ".repeat(2_000_000), PhraseKind::Person)]);
    let (outcome, asked) = enrich([Ok(endless), Ok(approval(&[]))]);
    let expect = by_rules(&input(SOURCE)).map(|by_rules| Enrichment {
        by: DecidedBy::Model("1 scripted".to_owned()),
        ..by_rules
    });
    assert_eq!(outcome, expect);
    assert!(asked[1].as_ref().unwrap().faults[0].contains("too long"));
}

#[test]
fn stopped_work_has_no_outcome() {
    let stop = StopFlag::default();
    stop.store(true, Ordering::Relaxed);
    let input = input(SOURCE);
    let pipeline = Pipeline::new(None, |_| {});
    let outcome = pollster::block_on(pipeline.enrich(&input, &stop));
    assert!(
        matches!(outcome, Err(EnrichError::Retry { .. })),
        "{outcome:?}"
    );
}
