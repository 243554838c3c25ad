//! What holds of any text.

use std::sync::Arc;

use domain::{
    enrichment::{
        Budget, Craft, EnrichmentInput, StopFlag,
        rules::{self, Secrets},
    },
    posting::CountryCode,
};
use proptest::prelude::*;

use super::{
    super::{Identity, say_once},
    leak::leaks,
    markdown, redact,
};
use crate::Builtin;

fn clean(text: &str) -> String {
    Builtin.clean(text, &Budget::unlimited()).unwrap()
}

/// The redacted form of a text for a posting.
fn hidden(text: &str, input: &EnrichmentInput) -> String {
    let secrets = Secrets::of(input);
    markdown(text, &Identity::of(input, &secrets))
}

fn input(description: &str) -> EnrichmentInput {
    EnrichmentInput {
        title: "Driver".to_owned(),
        raw_description: Arc::from(description),
        country: CountryCode::parse("NO"),
        city: Some("Oslo".to_owned()),
        company_name: "Acmera AS".to_owned(),
        company_website: "https://acmera.no".to_owned(),
    }
}

#[test]
fn leaks_are_found() {
    let input = input("");
    let found = leaks(
        "At **Acm**era, [here](https://x.org), a@b.no, +47 91812345, acmera.no",
        &input,
    );
    let kinds: Vec<&str> = found.iter().map(|leak| leak.kind.token()).collect();
    assert_eq!(
        kinds,
        ["[company]", "[email]", "[phone]", "[link]", "[link]"]
    );
    assert_eq!(
        leaks("At [company], [link], [email], [phone] in Oslo", &input),
        []
    );
}

fn advertisement() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "Acmera",
            "acmera",
            "Acm",
            "era",
            "ACMERA AS",
            "acmera.no",
            "a@b.no",
            "https://x.org/y",
            "+47 91812345",
            "<b>",
            "</b>",
            "<p>",
            "</p>",
            "<a href='https://x.org'>",
            "</a>",
            "<li>",
            "<br>",
            "tlf ",
            "(at)",
            "dot ",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9 .,:()@/+-]{0,10}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nothing_leaks(raw in advertisement()) {
        let input = input(&raw);
        let redacted = hidden(&raw, &input);
        let found = leaks(&redacted, &input);
        prop_assert!(found.is_empty(), "{found:?} in {redacted:?}");
        prop_assert!(!redacted.contains("x.org"), "{redacted:?}");
        prop_assert!(!redacted.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Acmera"));
    }

    #[test]
    fn redacting_again_changes_nothing(raw in advertisement()) {
        let input = input(&raw);
        let once = hidden(&raw, &input);
        let cleaned = clean(&once);
        prop_assert_eq!(hidden(&once, &input), cleaned);
    }

    #[test]
    fn any_text_and_name(raw in ".{0,100}", name in ".{0,20}", website in ".{0,20}") {
        let _ = redact(&name, &website, &raw);
    }
}

/// Names as companies have them, and some that are hardly names.
fn name() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[A-ZÅÉ][a-zåéø]{0,8}",
        "[A-Z]{1,4}[0-9]{0,2}",
        prop::sample::select(vec![
            "Target",
            "The",
            "Nord",
            "AS",
            "Group",
            "GmbH",
            "&",
            "+",
            "og",
            "3M",
            "X",
            "7",
            "Yahu!",
            "(R)evolve",
            "株式会社山田",
            "Åse's",
            "a.b",
            "No-No",
            "Company",
            "Link",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "))
}

/// A piece of an advertisement of the company with this name.
fn about(name: &str, number: usize, words: &str) -> String {
    match number % 14 {
        0 => name.to_owned(),
        1 => format!("<b>{name}</b>"),
        2 => format!("{}<i>{}</i>", &name[..start(name)], &name[start(name)..]),
        3 => name.to_uppercase(),
        4 => format!("{name}'s {words}"),
        5 => format!("({name}), <a href='https://sub.acme-host.no/x'>{name}</a>"),
        6 => "https://www.acme-host.no/jobs?a=b_c".to_owned(),
        7 => "Jobs.Acme-Host.no".to_owned(),
        8 => "<i>jobs_at</i>@acme-host.no".to_owned(),
        9 => "+47 918 <b>12</b> 345".to_owned(),
        10 => format!(
            "&#65;{name}&amp;{words}, {}&shy;{}",
            &name[..start(name)],
            &name[start(name)..]
        ),
        11 => format!("<h2>{name} {words}</h2><ul><li>{words} {name}</ul>"),
        12 => format!("<code>{name}</code> `{name}` **{name}** \\{name}"),
        _ => words.to_owned(),
    }
}

/// Where the second character starts.
fn start(text: &str) -> usize {
    text.char_indices().nth(1).map_or(text.len(), |(at, _)| at)
}

/// The naive reference for `say_once`: removes one repetition at a time until none is left.
fn taken_out(mut text: String, token: &str, again: &str) -> String {
    let twice = format!("{token}{again}");
    while text.contains(&twice) {
        text = text.replacen(&twice, token, 1);
    }
    text
}

proptest! {
    #[test]
    fn what_is_said_twice_is_said_once(pieces in prop::collection::vec(
        prop::sample::select(vec!["[link]", " ", "(", ")", " (", "[link] (", " [link]", "[", "]", "x"]),
        0..24,
    )) {
        for again in [" [link]", " ([link])"] {
            let mut text = pieces.concat();
            let expect = taken_out(text.clone(), "[link]", again);
            say_once(&mut text, "[link]", again, &Budget::unlimited()).unwrap();
            prop_assert_eq!(text, expect);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_rules_hold(
        name in name(),
        website in prop::sample::select(vec![
            "https://www.acme-host.no/", "https://jobs.acme-host.no", "https://acme-host.no/a",
        ]),
        pieces in prop::collection::vec((0_usize..14, "[a-zA-Z0-9 .,:()@/+_*-]{0,8}"), 1..12),
        gap in prop::sample::select(vec![" ", "", "\n", ", ", "<br>", "_", "\u{a0}"]),
    ) {
        let pieces: Vec<String> = pieces
            .iter()
            .map(|(number, words)| about(&name, *number, words))
            .collect();
        let mut input = input(&format!("A job for you. {}", pieces.join(gap)));
        input.company_name = name;
        website.clone_into(&mut input.company_website);
        let budget = Budget::of(&input.raw_description, &StopFlag::default());
        let enrichment = Builtin.prepare(&input, &budget).unwrap();
        prop_assert_eq!(rules::check(&enrichment, &input, &budget), Ok(()), "{:?}", enrichment.texts);
        let again = Builtin
            .redact(&enrichment.texts.redacted_markdown, &input, &budget)
            .unwrap();
        let mut twice = enrichment;
        twice.texts.redacted_markdown = again;
        prop_assert_eq!(rules::check(&twice, &input, &budget), Ok(()), "{:?}", twice.texts);
    }
}
