use super::*;
use crate::testing::{approval, cases, posting, rejection};

const DESCRIPTION: &str = "<p>Acmera AS looks for a cook.</p>";

fn said(texts: &Texts<'_>, place: Option<Coordinates>) -> String {
    let checked = check(texts, place, &posting(DESCRIPTION), &Budget::unlimited());
    checked.map_or_else(|error| error.to_string(), |()| "kept".to_owned())
}

#[test]
fn texts_keep_each_rule_or_break_it() {
    let mut expect = String::new();
    for case in cases(include_str!("tests.txt")) {
        if let Some(heading) = case.strip_prefix("== ") {
            expect = heading.to_owned();
            continue;
        }
        let texts = [approval(&case, "[company]"), approval("A cook.", &case)];
        let [readable, redacted] = texts.map(|texts| said(&texts, None));
        assert_eq!(format!("{readable} / {redacted}"), expect, "{case:?}");
    }
    assert_eq!(said(&rejection("Nothing in it."), None), "kept");
}

#[test]
fn texts_are_in_proportion() {
    let most = "a".repeat(3 * DESCRIPTION.len() + 64 * 1024);
    let more = format!("{most}a");
    assert_eq!(said(&approval(&most, &most), None), "kept");
    for (texts, form) in [
        (approval(&more, &most), "text"),
        (approval(&most, &more), "redacted text"),
    ] {
        let expect = format!("the {form} is out of all proportion to the description");
        assert_eq!(said(&texts, None), expect);
    }
}

#[test]
fn places_are_on_earth() {
    let elsewhere = "the coordinates are not on Earth";
    for (latitude, longitude, expect) in [
        (90.0, -180.0, "kept"),
        (-90.0, 180.0, "kept"),
        (90.1, 0.0, elsewhere),
        (0.0, -180.1, elsewhere),
        (f64::NAN, 0.0, elsewhere),
        (0.0, f64::INFINITY, elsewhere),
    ] {
        let place = Coordinates {
            latitude,
            longitude,
        };
        let found = said(&approval("A cook.", "A cook."), Some(place));
        assert_eq!(found, expect, "{latitude} {longitude}");
    }
}

#[test]
fn a_rejection_says_why() {
    let none = "the rejection has no reason that can be shown";
    for (text, expect) in [
        ("é".repeat(1_000), "kept"),
        ("é".repeat(1_001), none),
        (" ".to_owned(), none),
        ("a\nb".to_owned(), none),
    ] {
        assert_eq!(said(&rejection(&text), None), expect);
    }
}

#[test]
fn a_title_shows_no_identifying_term() {
    let posting = Posting {
        other_names: &["Bolt Brygge"],
        ..posting(DESCRIPTION)
    };
    for (title, expect) in [
        ("Cook at [company]", Ok(())),
        ("", Ok(())),
        ("Cook at Acmera AS", Err(Breach::TitleShows(Kind::Company))),
        (
            "Cook at Bolt Brygge",
            Err(Breach::TitleShows(Kind::Company)),
        ),
        ("Cook: a@acmera.no", Err(Breach::TitleShows(Kind::Email))),
        ("Cook\nOslo", Err(Breach::Character(Form::Title))),
        ("Cook\u{202e}", Err(Breach::Character(Form::Title))),
    ] {
        let checked = check_title(title, &posting, &Budget::unlimited());
        assert_eq!(checked, expect.map_err(CheckError::from), "{title:?}");
    }
}
