//! Properties that hold for any output of a model.

use proptest::prelude::*;

use super::*;

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
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.join(" "))
}

fn drafts() -> impl Strategy<Value = Draft> {
    let verdict = prop_oneof![
        Just(Verdict::Approve),
        (prop::sample::select(MODEL_CODES.to_vec()), written()).prop_map(|(code, text)| {
            Verdict::Reject {
                passages: vec![text.clone()],
                code,
                text,
            }
        }),
    ];
    (written(), written(), verdict).prop_map(|(one, other, verdict)| Draft {
        verdict,
        ..approval(&[(&one, PhraseKind::Company), (&other, PhraseKind::Person)])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_is_approved_unjudged_and_no_text_names_the_company(
        source in written(),
        first in drafts(),
        second in drafts(),
    ) {
        let verdicts = [first.verdict.clone(), second.verdict.clone()];
        let (outcome, asked) = enrich_input(&input(&source), [Ok(first), Ok(second)]);
        match outcome {
            Ok(enrichment) => {
                let redacted = &enrichment.texts.redacted_markdown;
                for secret in ["Acmera", "jobs@", "acmera.no", "\u{202e}"] {
                    prop_assert!(!redacted.contains(secret), "{redacted}");
                }
                if enrichment.verdict == Verdict::Approve {
                    let judged = verdicts.get(asked.len().wrapping_sub(1));
                    prop_assert_eq!(judged, Some(&Verdict::Approve));
                }
            }
            Err(error) => prop_assert!(matches!(error, EnrichError::Permanent(_)), "{error:?}"),
        }
    }
}
