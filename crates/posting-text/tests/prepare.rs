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
            "Driver",
            "Drive our bus on weekends. The ad closes once the position has been filled.",
        ),
        (
            "Driver",
            "The position has been filled before you know it, so apply!",
        ),
        ("Driver", "We hire until the job is closed."),
        (
            "Chauffeur",
            "Chauffeur de bus à Lyon, CDI. Annonce retirée dès que le poste est pourvu.",
        ),
        (
            "JavaScript developer",
            "You enable JavaScript teams to deliver, and an error occurred is no answer for you.",
        ),
        (
            "Web developer",
            "Our pages show “404 not found” too often. Mend them with us: PHP, nginx.",
        ),
        (
            "Driver",
            "<img alt='team photo in front of the bus'><p>Drive our bus on weekends.</p>",
        ),
        (
            "Driver",
            "<img alt='Drive our bus on weekends, good pay, a free ticket for the family, and \
             a canteen: write to us before the first of May'>",
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
    use Refusal::{NoContent, OnlyImage, OnlyLinks, Test};
    for (title, description, expect) in [
        ("Driver", "", NoContent),
        ("Driver", "<p>&nbsp;</p><script>x()</script>", NoContent),
        ("Driver", "<img src='x.png'>", OnlyImage),
        (
            "Driver",
            "<p><img alt='job ad' src='data:image/png;base64,AAAA'></p>",
            OnlyImage,
        ),
        (
            "Driver",
            "<a href='https://e.org'><img src='x.png'></a> Apply!",
            OnlyImage,
        ),
        ("Driver", "![job ad](https://e.org/x.png)", OnlyImage),
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

#[test]
fn error_pages_and_notices() {
    use Refusal::{Closed, ErrorPage};
    for (title, description, expect) in [
        (
            "Driver",
            "<h1>Just a moment...</h1><p>Please enable JavaScript. Access denied</p>",
            ErrorPage,
        ),
        (
            "Driver",
            "You need to enable JavaScript to run this app.",
            ErrorPage,
        ),
        (
            "Driver",
            "Access Denied You don't have permission to access \"http://e.org/jobs\" on this \
             server. \
             Reference #18.3a5c1702.1700000000.1a2b3c",
            ErrorPage,
        ),
        (
            "Driver",
            "<h1>404 Not Found</h1><hr><center>nginx/1.18.0</center>",
            ErrorPage,
        ),
        (
            "Fahrer",
            "Bitte aktivieren Sie JavaScript, um diese Seite anzuzeigen.",
            ErrorPage,
        ),
        (
            "Chauffeur",
            "Veuillez activer JavaScript pour continuer.",
            ErrorPage,
        ),
        (
            "運転手",
            "このページを表示するにはJavaScriptを有効にしてください。",
            ErrorPage,
        ),
        ("司机", "请启用JavaScript以查看此页面", ErrorPage),
        ("Driver", "This position has been filled.", Closed),
        (
            "Bus Driver",
            "We are sorry, the position of Bus Driver is no longer available. Thank you for your \
             interest! Please see our other openings.",
            Closed,
        ),
        ("Fahrer", "Diese Stelle ist leider bereits besetzt.", Closed),
        (
            "Chauffeur",
            "Ce poste a été pourvu. Merci pour votre intérêt.",
            Closed,
        ),
        ("Sjåfør", "Stillingen er dessverre besatt.", Closed),
        ("Förare", "Tjänsten är redan tillsatt.", Closed),
        (
            "Kuljettaja",
            "Paikka on jo täytetty, kiitos mielenkiinnostasi!",
            Closed,
        ),
        (
            "Conductor",
            "Lo sentimos, la vacante ya ha sido cubierta.",
            Closed,
        ),
        ("Водитель", "К сожалению, вакансия закрыта.", Closed),
        ("運転手", "この求人の募集は終了しました。", Closed),
        ("기사", "해당 공고는 마감되었습니다.", Closed),
    ] {
        let refusal = enrich(title, description).refusal;
        assert_eq!(refusal, Some(expect), "{title}: {description}");
    }
}
