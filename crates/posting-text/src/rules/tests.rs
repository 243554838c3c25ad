//! Each rule for finished texts, with texts that keep and texts that break it.

use super::*;
use crate::testing::{approval, posting, rejection};

const DESCRIPTION: &str = "<p>Acmera AS looks for a cook.</p>";

fn result(texts: &Texts<'_>, place: Option<Coordinates>) -> Result<(), Breach> {
    let posting = posting(DESCRIPTION);
    check(texts, place, &posting, &Budget::unlimited()).map_err(|error| match error {
        CheckError::Breach(breach) => breach,
        CheckError::Exceeded(exceeded) => panic!("{exceeded}"),
    })
}

/// Checks a text as the readable one.
#[track_caller]
fn readable(markdown: &str, expect: Result<(), Breach>) {
    assert_eq!(
        result(&approval(markdown, "[company]"), None),
        expect,
        "{markdown:?}"
    );
}

/// Checks a text as the redacted one.
#[track_caller]
fn redacted(markdown: &str, expect: Result<(), Breach>) {
    assert_eq!(
        result(&approval("A cook.", markdown), None),
        expect,
        "{markdown:?}"
    );
}

#[test]
fn clean_texts_hold() {
    for markdown in [
        "# Cook\n\n- **Acmera AS**\n- `Vec<u8>`\n\n1. a &lt;b>\n\n> q\n\n```\n<b>\n```",
        "[Acmera](https://www.acmera.no/jobs) [mail](mailto:a@b.no) <https://x.org> <a@b.no>",
        "[a]\n\n[a]: http://x.org",
        "a < b, a<1, \\<b> and Tom & Jerry\ttab",
    ] {
        readable(markdown, Ok(()));
    }
    redacted(
        "At **[company]** [sic], \\[link\\] [phone]\\: 18+, +10 000 000, see [link]. Oslo, @you",
        Ok(()),
    );
}

#[test]
fn no_raw_html() {
    let html = |form| Err(Breach::Html(form));
    for markdown in [
        "a<br>b",
        "<p>a</p>",
        "<script>x</script>",
        "<!-- a -->",
        "a <x-y z>",
        "</b>",
        "<?a?>",
        "<!DOCTYPE html>",
        "- <div\n  a>",
    ] {
        readable(markdown, html(Form::Readable));
        redacted(markdown, html(Form::Redacted));
    }
}

#[test]
fn no_images_and_no_links_that_are_not_safe() {
    readable(
        "![a](https://x.org/a.png)",
        Err(Breach::Image(Form::Readable)),
    );
    readable("![a]\n\n[a]: /b", Err(Breach::Image(Form::Readable)));
    redacted("![a](b)", Err(Breach::Image(Form::Redacted)));
    for markdown in [
        "[a](javascript:alert(1))",
        "[a](JavaScript&colon;alert(1))",
        "[a](java\\script:alert(1))",
        "[a](data:text/html,b)",
        "[a](/jobs)",
        "[a](//x.org)",
        "[a](#b)",
        "[a]()",
        "[a]\n\n[a]: javascript:b",
        "[a]: vbscript:b",
        "<javascript:alert(1)>",
        "[a](https:x.org)",
    ] {
        readable(markdown, Err(Breach::Link(Form::Readable)));
    }
}

#[test]
fn no_link_in_a_redacted_text() {
    for markdown in [
        "[a](https://x.org)",
        "<https://x.org>",
        "<a@b.no>",
        "[a]\n\n[a]: https://x.org",
        "[a]: https://x.org",
        "[a]: https://x.org 'title'",
    ] {
        redacted(markdown, Err(Breach::LinkOfRedacted));
    }
}

#[test]
fn nothing_shows_in_a_redacted_text() {
    for (markdown, kind) in [
        ("At Acmera AS", Kind::Company),
        ("At **Ac**mera _AS_", Kind::Company),
        ("At Acmera  \nAS", Kind::Company),
        ("At Acmera\nAS", Kind::Company),
        ("At `Acmera` AS", Kind::Company),
        ("At Ac&#109;era&nbsp;AS", Kind::Company),
        ("At Ac\u{ad}me\u{200b}ra AS", Kind::Company),
        ("# Acmera AS", Kind::Company),
        ("- a\n  - Acmera AS\n", Kind::Company),
        ("```Acmera AS\na\n```", Kind::Company),
        ("```\nAcmera AS\n```", Kind::Company),
        ("jobs@acmera.no", Kind::Email),
        ("a&commat;b.no", Kind::Email),
        ("a\\@b\\.no", Kind::Email),
        ("**a**@b.no", Kind::Email),
        ("see acmera.no", Kind::Link),
        ("see acm_era_.no, acm*era*.no", Kind::Link),
        ("see jobs.acmera&period;no", Kind::Link),
        ("call +47 22 33 44 55", Kind::Phone),
        ("call &plus;47 **22** 33 44 55", Kind::Phone),
    ] {
        redacted(markdown, Err(Breach::Shows(kind)));
        readable(markdown, Ok(()));
    }
}

#[test]
fn nothing_shows_across_blocks() {
    redacted("Acmera\n\nAS", Ok(()));
    redacted("- Acmera\n- AS", Ok(()));
    redacted("+47 22 33\n\n44 55", Ok(()));
    redacted("a@\n\nb.no", Ok(()));
}

#[test]
fn no_odd_characters() {
    for c in [
        '\0', '\u{1b}', '\r', '\u{7f}', '\u{85}', '\u{202e}', '\u{2067}',
    ] {
        for rest in ["", "é"] {
            let text = format!("a{c}b{rest}");
            readable(&text, Err(Breach::Character(Form::Readable)));
            redacted(&text, Err(Breach::Character(Form::Redacted)));
        }
    }
    readable("a\nb\tc é\u{200f}\u{ad}", Ok(()));
}

#[test]
fn texts_are_in_proportion() {
    let most = 3 * DESCRIPTION.len() + 64 * 1024;
    readable(&"a".repeat(most), Ok(()));
    readable(&"a".repeat(most + 1), Err(Breach::Length(Form::Readable)));
    redacted(&"a".repeat(most + 1), Err(Breach::Length(Form::Redacted)));
}

#[test]
fn what_is_approved_can_be_read() {
    readable(" \n", Err(Breach::Empty(Form::Readable)));
    redacted("", Err(Breach::Empty(Form::Redacted)));
    assert_eq!(result(&rejection("Nothing in it."), None), Ok(()));
}

#[test]
fn places_are_on_earth() {
    for (latitude, longitude, expect) in [
        (90.0, -180.0, Ok(())),
        (-90.0, 180.0, Ok(())),
        (90.1, 0.0, Err(Breach::Coordinates)),
        (0.0, -180.1, Err(Breach::Coordinates)),
        (f64::NAN, 0.0, Err(Breach::Coordinates)),
        (0.0, f64::INFINITY, Err(Breach::Coordinates)),
    ] {
        let place = Coordinates {
            latitude,
            longitude,
        };
        let found = result(&approval("A cook.", "A cook."), Some(place));
        assert_eq!(found, expect, "{latitude} {longitude}");
    }
}

#[test]
fn a_rejection_says_why() {
    for (text, expect) in [
        ("Nothing in it.".to_owned(), Ok(())),
        ("é".repeat(MAX_REASON), Ok(())),
        ("é".repeat(MAX_REASON + 1), Err(Breach::Reason)),
        (" ".to_owned(), Err(Breach::Reason)),
        ("a\nb".to_owned(), Err(Breach::Reason)),
    ] {
        assert_eq!(result(&rejection(&text), None), expect);
    }
}

#[test]
fn the_error_names_the_rule_and_no_identifying_term() {
    let error = result(&approval("Acmera", "Write to boss@acmera.no"), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the redacted text shows an e-mail address"
    );
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
