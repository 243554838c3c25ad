//! The results of all rules on one posting, which are always the same.
#![expect(
    clippy::unwrap_used,
    reason = "tests, whose texts are within the budget"
)]

use posting_text::{Budget, Posting, Prepared, Refusal, prepare};

fn enrich(title: &str, description: &str) -> Prepared {
    let posting = Posting {
        title,
        description,
        country: Some("FR"),
        city: Some("Lyon"),
        company_name: "Brightvik SAS",
        other_names: &[],
        company_website: "https://brightvik.fr",
        base_url: None,
        hide: &[],
    };
    prepare(&posting, &Budget::of(description)).unwrap()
}

#[test]
fn texts_coordinates_and_verdict() {
    let found = enrich(
        "Driver at Brightvik\u{ad}, tel. +33 4 72 11 22 33",
        "<p>At <b>Brightvik</b> you drive. <a href='https://brightvik.fr/jobs'>Apply</a></p>",
    );
    assert_eq!(
        found.markdown,
        "At **Brightvik** you drive. [Apply](https://brightvik.fr/jobs)"
    );
    assert_eq!(found.redacted_markdown, "At **[company]** you drive. Apply");
    assert_eq!(found.redacted_title, "Driver at [company], tel. [phone]");
    let place = found.coordinates.unwrap();
    assert!((place.latitude - 45.75).abs() < 0.1 && (place.longitude - 4.85).abs() < 0.1);
    assert_eq!(found.refusal, None);
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
            enrich(title, description).refusal,
            None,
            "{title}: {description}"
        );
    }
}

#[test]
fn rejected() {
    use Refusal::{NoContent, OnlyLinks, Test};
    for (title, description, expect) in [
        ("Driver", "", NoContent),
        ("Driver", "<p>&nbsp;</p><script>x()</script>", NoContent),
        ("Driver", "<img src='x.png'>", NoContent),
        ("Driver", "---", NoContent),
        ("Driver", "N/A", NoContent),
        ("Driver", "tbd", NoContent),
        ("Driver", "https://example.org/apply", OnlyLinks),
        (
            "Driver",
            "<a href='https://example.org'>Everything is on our page, have a look</a>",
            OnlyLinks,
        ),
        ("Driver", "Apply here: https://example.org/apply", OnlyLinks),
        ("Driver", "jobs@example.org", OnlyLinks),
        ("Driver", "test", Test),
        ("Driver", "<p>This is a test</p>", Test),
        ("Driver", "Test test test 123", Test),
        ("Driver", "asdf asdf", Test),
        ("Driver", "aaaaaaa", Test),
        ("Driver", "Ceci est un test", Test),
        ("Driver", "テスト", Test),
        (
            "Driver",
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.",
            Test,
        ),
        ("Test posting please ignore", "Some text.", Test),
        ("test", "A description.", Test),
    ] {
        let refusal = enrich(title, description).refusal;
        assert_eq!(refusal, Some(expect), "{title}: {description}");
    }
}
