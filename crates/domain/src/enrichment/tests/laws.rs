//! What holds whatever an author writes.

use proptest::prelude::*;

use super::*;

/// Texts as bad as authors can write them.
fn written() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "Acmera AS",
            "Acmera",
            "**Ac**mera AS",
            "Acm\u{ad}era AS",
            "Acmera&nbsp;AS",
            "acmera.no",
            "jobs.ACMERA.no",
            "jobs@acmera.no",
            "jobs&commat;acmera.no",
            "jo_b_s\\@acmera.no",
            "+47 22 33 44 55",
            "&#43;4722334455",
            "https://acmera.no/jobs",
            "<https://acmera.no>",
            "[here](https://acmera.no)",
            "[here](javascript:alert(1))",
            "[here]",
            "\n\n[here]: https://acmera.no\n\n",
            "![](https://acmera.no/p.png)",
            "<b>",
            "</b>",
            "<script>alert(1)</script>",
            "<!--",
            "-->",
            "\u{202e}",
            "\u{2066}",
            "\u{0}",
            "\u{1b}[31m",
            "\n\n",
            "\n- ",
            "\n```\n",
            "\\",
            "&",
        ])
        .prop_map(str::to_owned),
        "[a-z ]{0,12}",
        ".{0,6}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn drafts() -> impl Strategy<Value = Draft> {
    let verdict = prop_oneof![
        Just(Verdict::Approve),
        (
            prop::sample::select(ReasonCode::OF_AUTHORS.to_vec()),
            written()
        )
            .prop_map(|(code, text)| Verdict::Reject { code, text }),
    ];
    (written(), written(), verdict).prop_map(|(markdown, redacted_markdown, verdict)| Draft {
        answer: markdown.clone(),
        markdown,
        redacted_markdown,
        verdict,
    })
}

/// What the author writes is what it was given and something more, so that much of it is of use.
fn from_source(mut draft: Draft, source: &str) -> Draft {
    draft.markdown = format!("{source}\n\n{}", draft.markdown);
    draft.redacted_markdown = format!("{source}\n\n{}", draft.redacted_markdown);
    draft
}

fn holds(craft: impl Craft + 'static, answers: [Draft; 2], input: &EnrichmentInput) {
    let (outcome, author) = enrich_input(craft, answers.map(Ok), input);
    match outcome {
        Ok(enrichment) => {
            assert_eq!(
                rules::check(&enrichment, input, &Budget::unlimited()),
                Ok(())
            );
            let judged = author.settled().into_iter().flatten().next();
            let approves = judged.map(|draft| draft.verdict == Verdict::Approve);
            if enrichment.verdict == Verdict::Approve {
                assert_eq!(approves, Some(true), "nobody is approved unjudged");
            }
        }
        Err(error) => assert!(matches!(error, EnrichError::Permanent(_)), "{error:?}"),
    }
    assert_eq!(
        author.settled().len(),
        usize::from(!author.asked().is_empty())
    );
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
        holds(Careless, [first.clone(), second.clone()], &input);
        holds(PlainCraft, [first.clone(), second.clone()], &input);
        let clean = PlainCraft.clean(&source, &Budget::unlimited()).unwrap();
        let answers = [from_source(first, &clean), from_source(second, &clean)];
        holds(Careless, answers.clone(), &input);
        holds(PlainCraft, answers, &input);
    }

    #[test]
    fn what_rules_write_satisfies_the_rules(source in written()) {
        let input = input(&source);
        let pipeline = Pipeline::by_rules(Arc::new(PlainCraft));
        let enrichment = block_on(&pipeline, &input).unwrap();
        prop_assert_eq!(rules::check(&enrichment, &input, &Budget::unlimited()), Ok(()));
        let EnrichedTexts { markdown, redacted_markdown } = enrichment.texts;
        let budget = Budget::unlimited();
        let clean = PlainCraft.clean(&markdown, &budget);
        prop_assert_eq!(clean.as_ref(), Ok(&markdown));
        let redacted = PlainCraft.redact(&redacted_markdown, &input, &budget);
        prop_assert_eq!(redacted.as_ref(), Ok(&redacted_markdown));
    }
}
