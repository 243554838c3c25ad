//! What holds whatever a model writes.

use proptest::prelude::*;

use super::*;

/// Texts on both sides of the rules.
fn written() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "Acmera AS",
        "jobs@acmera.no",
        "acmera.no",
        "evil.example",
        "<b>",
        "<p>",
        "</p>",
        "\u{202e}",
        " ",
        "A cook.",
    ]);
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn drafts() -> impl Strategy<Value = Draft> {
    let verdict = prop_oneof![
        Just(Verdict::Approve),
        (
            prop::sample::select(ReasonCode::OF_MODELS.to_vec()),
            written()
        )
            .prop_map(|(code, text)| Verdict::Reject { code, text }),
    ];
    (written(), written(), verdict).prop_map(|(one, other, verdict)| Draft {
        verdict,
        ..approval(&[(&one, PhraseKind::Company), (&other, PhraseKind::Person)])
    })
}

fn holds(rules: impl RuleEnricher + 'static, answers: [Draft; 2], input: &EnrichmentInput) {
    let verdicts = answers.clone().map(|draft| draft.verdict);
    let (outcome, model) = enrich_input(rules, answers.map(Ok), input);
    match outcome {
        Ok(enrichment) => {
            let checked = PlainRules.check(&enrichment, input, &StopFlag::default());
            assert_eq!(checked, Ok(()));
            if enrichment.verdict == Verdict::Approve {
                let judged = verdicts.get(model.asked().len().wrapping_sub(1));
                assert_eq!(
                    judged,
                    Some(&Verdict::Approve),
                    "nobody is approved unjudged"
                );
            }
        }
        Err(error) => assert!(matches!(error, EnrichError::Permanent(_)), "{error:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_comes_out_satisfies_the_rules(
        source in written(),
        first in drafts(),
        second in drafts(),
    ) {
        let input = input(&source);
        for rules in [Odd::Leaking, Odd::EndlessDrafts] {
            holds(rules, [first.clone(), second.clone()], &input);
        }
        holds(PlainRules, [first, second], &input);
    }
}
