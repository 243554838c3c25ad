#![expect(
    clippy::unwrap_used,
    reason = "tests, whose texts are within the budget"
)]

use posting_text::{Budget, Posting, Prepared, Refusal, VERSION, prepare};

fn enrich(title: &str, description: &str) -> Prepared {
    let posting = Posting {
        title,
        description,
        country: Some("FR"),
        city: Some("Lyon"),
        company_name: "Brightvik SAS",
        other_names: &[],
        company_website: "https://brightvik.fr",
        region: None,
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
fn a_sentence_about_a_job_outweighs_words_of_pages() {
    let pages = "<p>word</p>".repeat(200);
    for (sentence, refusal) in [
        ("Somebody who knows roses and hedges.", None),
        ("See", Some(Refusal::NoContent)),
    ] {
        let found = enrich("Gardener", &format!("<p>{sentence}</p>{pages}"));
        assert_eq!(found.refusal, refusal, "{sentence}");
    }
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
fn what_is_no_posting_is_refused() {
    let (mut heading, mut verdicts) = ("", String::new());
    for line in include_str!("refusals.txt").lines() {
        if let Some(found) = line.strip_prefix('[') {
            heading = found.trim_end_matches(']');
        } else if !line.is_empty() && !line.starts_with('#') {
            let (title, description) = line.split_once(" | ").unwrap_or(("Driver", line));
            let refusal = enrich(title, description).refusal;
            let found = refusal.map_or("None".to_owned(), |refusal| format!("{refusal:?}"));
            assert_eq!(found, heading, "{line}");
            verdicts.extend([found.as_str(), ": ", line, "\n"]);
        }
    }
    let weights = include_bytes!("../src/verdict/model/weights.bin").iter();
    let digest = verdicts
        .bytes()
        .chain(weights.copied())
        .fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    assert_eq!(
        (VERSION, digest),
        (10, 5_829_031_911_102_358_218),
        "verdicts or weights of a model that change are a new version"
    );
    assert_eq!(enrich("Driver", "").refusal, Some(Refusal::NoContent));
}

#[test]
fn pages_and_ads_that_the_model_has_not_learned() {
    let refused = |heading: &str| {
        let texts = include_str!("../eval/pages/unseen.txt").split("\n[");
        let texts = texts.filter_map(|part| part.strip_prefix(heading)?.strip_prefix("]\n"));
        let lines = texts
            .flat_map(str::lines)
            .filter_map(|line| line.split_once(" | "));
        let refusals = lines.map(|(title, description)| enrich(title, description).refusal);
        let refusals: Vec<_> = refusals.collect();
        (refusals.iter().flatten().count(), refusals.len())
    };
    let ((pages, all_pages), (ads, all_ads)) = (refused("Page"), refused("Ad"));
    assert_eq!((all_pages, all_ads), (120, 120));
    assert!(pages >= 114, "{pages} of 120 pages are refused");
    assert!(ads <= 2, "{ads} of 120 ads are refused");
}

#[test]
fn a_refusal_names_what_it_rests_on() {
    for (title, description, passages) in [
        ("Driver", "", &[][..]),
        ("Driver", "<p>TBD</p>", &["TBD"]),
        (
            "Driver",
            "<p>Driver, <b>Lyon</b></p><p>This <b>job</b> is closed.<br>Driver</p>",
            &["This job is closed."],
        ),
        ("Test posting", "<p>Drive.</p>", &["Test posting"]),
        ("Access denied", "<p>You drive.</p>", &["Access denied"]),
        (
            "Driver",
            "<p>asdf asdf</p><p>test</p>",
            &["asdf asdf", "test"],
        ),
        ("Driver", "<a href='https://a.example'>Here</a>", &["Here"]),
        ("Driver", "<p>You drive.</p>", &[]),
    ] {
        assert_eq!(
            enrich(title, description).passages,
            passages,
            "{description}"
        );
    }
}
