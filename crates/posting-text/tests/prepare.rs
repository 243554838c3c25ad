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
fn what_identifies_is_hidden_in_every_form() {
    for (description, expect) in [
        (
            "<table><tr><th>Brightvik<th>Ask<tr><td>Bright<b>vik</b> a|b<td>jobs@brightvik.fr</table>",
            "| [company] | Ask |\n| --- | --- |\n| [company] a\\|b | [email] |",
        ),
        ("<p>Bright<del>vik</del> is old</p>", "[company] is old"),
        ("<p>Brightvik<sup>®</sup> drives</p>", "[company]® drives"),
        ("<p>Brightvik<sup>TM</sup> drives</p>", "[company]™ drives"),
        ("<p>Brightvik<sup>1</sup> drives</p>", "[company]¹ drives"),
        (
            "<pre>Brightvik\n  drives</pre>",
            "```\n[company]\n  drives\n```",
        ),
        ("<p>[Brightvik]: drive</p>", "[[company]]: drive"),
        (
            "<p>Brightvik: drive with us</p>",
            "[company]: drive with us",
        ),
        ("<p>Brightvik: drive</p>", "[company]\\: drive"),
    ] {
        assert_eq!(enrich("Driver", description).redacted_markdown, expect);
    }
}

/// Checks descriptions of drivers' jobs, or after another title and a bar.
#[track_caller]
fn check_refusal(expect: Option<Refusal>, cases: &[&str]) {
    for case in cases {
        let (title, description) = case.split_once(" | ").unwrap_or(("Driver", case));
        assert_eq!(enrich(title, description).refusal, expect, "{case}");
    }
}

#[test]
fn approved() {
    check_refusal(
        None,
        &[
            "Test Engineer | <p>You test our software and write test plans.</p>",
            "QA tester | Test automation with Playwright. Apply by mail.",
            "Software Test Lead | Testing of medical devices",
            "Cook | Cook wanted, evenings, good pay.",
            "Kock | Vi söker en kock till vårt kök.",
            "料理人 | 料理人を募集しています。",
            "厨师 | 招聘厨师",
            "요리사 | 요리사 모집",
            "Повар | Требуется повар",
            "Driver for buses. Apply: https://example.org/apply",
            "Serveur | Période d'essai d'un mois. Serveur H/F.",
            "Teacher of Latin | You teach texts such as “dolor sit amet” to pupils of all ages.",
            "Drive our bus on weekends. The ad closes once the position has been filled.",
            "The position has been filled before you know it, so apply!",
            "We hire until the job is closed.",
            "Chauffeur | Chauffeur de bus à Lyon, CDI. Annonce retirée dès que le poste est pourvu.",
            "JavaScript developer | You enable JavaScript teams to deliver, and an error occurred \
                 is no answer for you.",
            "Web developer | Our pages show “404 not found” too often. Mend them with us: PHP, nginx.",
            "<img alt='team photo in front of the bus'><p>Drive our bus on weekends.</p>",
            "<img alt='Drive our bus on weekends, good pay, a free ticket for the family, and a \
                 canteen: write to us before the first of May'>",
            "Designer | Replace lorem ipsum with words people want to read, in five products and \
                 two apps.",
        ],
    );
}

#[test]
fn rejected() {
    use Refusal::{NoContent, OnlyImage, OnlyLinks, Test};
    check_refusal(
        Some(NoContent),
        &["", "<p>&nbsp;</p><script>x()</script>", "---", "N/A", "tbd"],
    );
    check_refusal(
        Some(OnlyImage),
        &[
            "<img src='x.png'>",
            "<p><img alt='job ad' src='data:image/png;base64,AAAA'></p>",
            "<a href='https://e.org'><img src='x.png'></a> Apply!",
            "![job ad](https://e.org/x.png)",
        ],
    );
    check_refusal(
        Some(OnlyLinks),
        &[
            "https://example.org/apply",
            "<a href='https://example.org'>Everything is on our page, have a look</a>",
            "Apply here: https://example.org/apply",
            "jobs@example.org",
        ],
    );
    check_refusal(
        Some(Test),
        &[
            "test",
            "<p>This is a test</p>",
            "Test test test 123",
            "asdf asdf",
            "aaaaaaa",
            "Ceci est un test",
            "テスト",
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.",
            "Test posting please ignore | Some text.",
            "test | A description.",
        ],
    );
}

#[test]
fn error_pages_and_notices() {
    use Refusal::{Closed, ErrorPage};
    check_refusal(
        Some(ErrorPage),
        &[
            "<h1>Just a moment...</h1><p>Please enable JavaScript. Access denied</p>",
            "You need to enable JavaScript to run this app.",
            "Access Denied You don't have permission to access \"http://e.org/jobs\" on this \
                 server. Reference #18.3a5c1702.1700000000.1a2b3c",
            "<h1>404 Not Found</h1><hr><center>nginx/1.18.0</center>",
            "Fahrer | Bitte aktivieren Sie JavaScript, um diese Seite anzuzeigen.",
            "Chauffeur | Veuillez activer JavaScript pour continuer.",
            "運転手 | このページを表示するにはJavaScriptを有効にしてください。",
            "司机 | 请启用JavaScript以查看此页面",
        ],
    );
    check_refusal(
        Some(Closed),
        &[
            "This position has been filled.",
            "Bus Driver | We are sorry, the position of Bus Driver is no longer available. Thank \
                 you for your interest! Please see our other openings.",
            "Fahrer | Diese Stelle ist leider bereits besetzt.",
            "Chauffeur | Ce poste a été pourvu. Merci pour votre intérêt.",
            "Sjåfør | Stillingen er dessverre besatt.",
            "Förare | Tjänsten är redan tillsatt.",
            "Kuljettaja | Paikka on jo täytetty, kiitos mielenkiinnostasi!",
            "Conductor | Lo sentimos, la vacante ya ha sido cubierta.",
            "Водитель | К сожалению, вакансия закрыта.",
            "運転手 | この求人の募集は終了しました。",
            "기사 | 해당 공고는 마감되었습니다.",
        ],
    );
}
