//! The built-in enricher through its port, which gives the same answer every time.
#![expect(
    clippy::unwrap_used,
    reason = "tests, whose texts are within the budget"
)]

use std::sync::Arc;

use domain::{
    enrichment::{Budget, Craft, Enrichment, EnrichmentInput, ReasonCode, StopFlag, Verdict},
    posting::CountryCode,
};
use posting_text::Builtin;

fn enrich(title: &str, description: &str) -> Enrichment {
    let input = EnrichmentInput {
        title: title.to_owned(),
        raw_description: Arc::from(description),
        country: CountryCode::parse("FR"),
        city: Some("Lyon".to_owned()),
        company_name: "Brightvik SAS".to_owned(),
        company_website: "https://brightvik.fr".to_owned(),
    };
    let budget = Budget::of(&input.raw_description, &StopFlag::default());
    Builtin.prepare(&input, &budget).unwrap()
}

#[test]
fn texts_coordinates_and_verdict() {
    let found = enrich(
        "Driver",
        "<p>At <b>Brightvik</b> you drive. <a href='https://brightvik.fr/jobs'>Apply</a></p>",
    );
    assert_eq!(
        found.texts.markdown,
        "At **Brightvik** you drive. [Apply](https://brightvik.fr/jobs)"
    );
    assert_eq!(
        found.texts.redacted_markdown,
        "At **[company]** you drive. Apply"
    );
    let place = found.coordinates.unwrap();
    assert!((place.latitude - 45.75).abs() < 0.1 && (place.longitude - 4.85).abs() < 0.1);
    assert_eq!(found.verdict, Verdict::Approve);
}

#[test]
fn approved() {
    for (title, description) in [
        (
            "Test Engineer",
            "<p>You test our software and write test plans.</p>",
        ),
        (
            "QA tester",
            "Test automation with Playwright. Apply by mail.",
        ),
        ("Software Test Lead", "Testing of medical devices"),
        ("Cook", "Cook wanted, evenings, good pay."),
        ("Kock", "Vi söker en kock till vårt kök."),
        ("料理人", "料理人を募集しています。"),
        ("厨师", "招聘厨师"),
        ("요리사", "요리사 모집"),
        ("Повар", "Требуется повар"),
        (
            "Driver",
            "Driver for buses. Apply: https://example.org/apply",
        ),
        ("Serveur", "Période d'essai d'un mois. Serveur H/F."),
        (
            "Teacher of Latin",
            "You teach texts such as “dolor sit amet” to pupils of all ages.",
        ),
        (
            "Designer",
            "Replace lorem ipsum with words people want to read, in five products and two apps.",
        ),
    ] {
        assert_eq!(
            enrich(title, description).verdict,
            Verdict::Approve,
            "{title}: {description}"
        );
    }
}

#[test]
fn rejected() {
    use ReasonCode::{NoContent, TestPosting};
    for (title, description, expect) in [
        ("Driver", "", NoContent),
        ("Driver", "<p>&nbsp;</p><script>x()</script>", NoContent),
        ("Driver", "<img src='x.png'>", NoContent),
        ("Driver", "---", NoContent),
        ("Driver", "N/A", NoContent),
        ("Driver", "tbd", NoContent),
        ("Driver", "https://example.org/apply", NoContent),
        (
            "Driver",
            "<a href='https://example.org'>Everything is on our page, have a look</a>",
            NoContent,
        ),
        ("Driver", "Apply here: https://example.org/apply", NoContent),
        ("Driver", "jobs@example.org", NoContent),
        ("Driver", "test", TestPosting),
        ("Driver", "<p>This is a test</p>", TestPosting),
        ("Driver", "Test test test 123", TestPosting),
        ("Driver", "asdf asdf", TestPosting),
        ("Driver", "aaaaaaa", TestPosting),
        ("Driver", "Ceci est un test", TestPosting),
        ("Driver", "テスト", TestPosting),
        (
            "Driver",
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.",
            TestPosting,
        ),
        ("Test posting please ignore", "Some text.", TestPosting),
        ("test", "A description.", TestPosting),
    ] {
        match enrich(title, description).verdict {
            Verdict::Reject { code, text } => {
                assert_eq!(code, expect, "{title}: {description}");
                assert!(text.contains("again"), "the sentence says what to do");
            }
            Verdict::Approve => panic!("approved {title}: {description}"),
        }
    }
}
