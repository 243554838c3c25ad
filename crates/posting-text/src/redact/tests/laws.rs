use proptest::prelude::*;

use super::{
    super::{Hidden, Kind, Phrase, find, find_in_line, replace::remove_repeats, with_tokens},
    markdown as hidden, of_company,
};
use crate::{
    Budget, Posting,
    markdown::{self, from_description},
    prepare,
    reading::Reading,
    rules::{self, Texts},
    testing::{one_of, posting},
};

fn clean(text: &str) -> String {
    from_description(text, &Budget::unlimited()).unwrap()
}

type Leak = (Kind, String);

fn leaks(redacted: &str, posting: &Posting<'_>) -> Vec<Leak> {
    let budget = Budget::unlimited();
    let document = markdown::read(redacted, None, &budget).unwrap();
    let text = document.text();
    let found = find_in_line(&text, posting, &budget).unwrap().into_iter();
    // The model may find a number or an address when it sees another text around it.
    let is_certain = |hidden: &Hidden| !matches!(hidden.kind, Kind::Phone | Kind::Address);
    let mut out: Vec<Leak> = found
        .filter(is_certain)
        .map(|hidden| (hidden.kind, text[hidden.range].to_owned()))
        .collect();
    document.for_each_text(&mut |spans| {
        let links = spans.iter().filter_map(|span| span.link.as_ref());
        out.extend(links.map(|link| (Kind::Link, link.to_string())));
    });
    out
}

fn advertisement() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        one_of(
            "\
            Acmera|acmera|Acm|era|ACMERA AS|acmera.no|a@b.no|https://x.org/y|+47 91812345|<b>|\
            </b>|<p>|</p>|<a href='https://x.org'>|</a>|<li>|<br>|tlf |(at)|dot "
        ),
        "[a-zA-Z0-9 .,:()@/+-]{0,10}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nothing_certain_leaks_and_redacting_again_shows_nothing_more(raw in advertisement()) {
        let posting = posting(&raw);
        let redacted = hidden(&raw, &posting);
        let found = leaks(&redacted, &posting);
        prop_assert!(found.is_empty(), "{found:?} in {redacted:?}");
        prop_assert!(!redacted.contains("x.org"), "{redacted:?}");
        prop_assert!(!redacted.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Acmera"));
        let again = hidden(&redacted, &posting);
        prop_assert!(shows_only(&again, &redacted), "{again:?} of {redacted:?}");
    }

    #[test]
    fn any_text_and_name(raw in ".{0,100}", name in ".{0,20}", website in ".{0,20}") {
        let _ = hidden(&raw, &of_company((&name, &website)));
    }
}

fn name() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[A-ZÅÉ][a-zåéø]{0,8}",
        "[A-Z]{1,4}[0-9]{0,2}",
        one_of(
            "\
            Target|The|Nord|AS|Group|GmbH|&|+|og|3M|X|7|Yahu!|(R)evolve|株式会社山田|Åse's|a.b|\
            No-No|Company|Link"
        ),
    ];
    prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "))
}

fn fragment(name: &str, number: usize, words: &str) -> String {
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

fn start(text: &str) -> usize {
    text.char_indices().nth(1).map_or(text.len(), |(at, _)| at)
}

proptest! {
    #[test]
    fn what_is_said_twice_is_said_once(pieces in prop::collection::vec(
        one_of("[link]| |(|)| (|[link] (| [link]|[|]|x"), 0..24,
    )) {
        for again in [" [link]", " ([link])"] {
            let mut text = pieces.concat();
            let mut expect = text.clone();
            while let Some(at) = expect.find(&format!("[link]{again}")) {
                expect.replace_range(at + "[link]".len()..at + "[link]".len() + again.len(), "");
            }
            remove_repeats(&mut text, "[link]", again, &Budget::unlimited()).unwrap();
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
            .map(|(number, words)| fragment(&name, *number, words))
            .collect();
        let description = format!("A job for you. {}", pieces.join(gap));
        let posting = Posting {
            company_name: &name,
            company_website: website,
            region: None,
            base_url: None,
            ..posting(&description)
        };
        let budget = Budget::of(&description);
        let prepared = prepare(&posting, &budget).unwrap();
        let texts = Texts {
            markdown: &prepared.markdown,
            redacted_markdown: &prepared.redacted_markdown,
            rejection: None,
        };
        prop_assert_eq!(rules::check(&texts, None, &posting, &budget), Ok(()), "{:?}", prepared);
        let redacted_markdown = &hidden(&prepared.redacted_markdown, &posting);
        let twice = Texts { redacted_markdown, ..texts };
        prop_assert_eq!(rules::check(&twice, None, &posting, &budget), Ok(()), "{:?}", twice);
    }
}

fn written() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        one_of(
            "\
            Acmera AS|**Ac**mera AS|Acm\u{ad}era AS|Acmera&nbsp;AS|jobs.ACMERA.no|\
            jobs&commat;acmera.no|jo_b_s\\@acmera.no|+47 22 33 44 55|&#43;4722334455|\
            <https://acmera.no>|[here](https://acmera.no)|[here](javascript:alert(1))|[here]|\
            \n\n[here]: https://acmera.no\n\n|![](https://acmera.no/p.png)|<b>|</b>|\
            <script>alert(1)</script>|<!--|-->|\u{202e}|\u{2066}|\u{0}|\u{1b}[31m|\n\n|\n- |\
            \n```\n|\\|&"
        ),
        "[a-z ]{0,12}",
        ".{0,6}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_written_texts_can_be_shown(readable in written(), redacted in written()) {
        let posting = posting("A cook.");
        let texts = Texts {
            markdown: &clean(&readable),
            redacted_markdown: &hidden(&redacted, &posting),
            rejection: Some("It sells a course."),
        };
        let checked = rules::check(&texts, None, &posting, &Budget::unlimited());
        prop_assert_eq!(checked, Ok(()), "{:?}", texts);
    }
}

/// Whether a text shows only parts of another one in their order, and tokens.
fn shows_only(redacted: &str, source: &str) -> bool {
    let visible = |text: &str| Reading::of(text, &Budget::unlimited()).unwrap().text;
    let (mut redacted, source) = (visible(redacted), visible(source));
    for kind in Kind::ALL {
        redacted = redacted.replace(kind.token(), " ");
    }
    let mut rest = source.as_str();
    redacted
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .all(|part| {
            let found = rest.split_once(part);
            rest = found.map_or("", |(_, rest)| rest);
            found.is_some()
        })
}

fn phrases() -> impl Strategy<Value = Vec<(usize, usize, String, Kind)>> {
    let phrase = (
        0_usize..400,
        0_usize..40,
        ".{0,12}",
        prop::sample::select(Kind::ALL.to_vec()),
    );
    prop::collection::vec(phrase, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_phrase_shows_a_word_that_is_not_in_the_posting(
        description in advertisement(),
        title in "(Cook|Acmera|[a-zé ]{0,8}| ){0,6}",
        phrases in phrases(),
    ) {
        let budget = Budget::unlimited();
        let by_rules = Posting {
            title: &title,
            ..posting(&description)
        };
        let expect = prepare(&by_rules, &budget).unwrap();
        let markdown = format!("{title} {}", expect.markdown);
        let part = |start: usize, length: usize| {
            let start = markdown.ceil_char_boundary(start.min(markdown.len()));
            let end = markdown.ceil_char_boundary((start + length).min(markdown.len()));
            &markdown[start..end]
        };
        let hide: Vec<_> = phrases
            .iter()
            .map(|(start, length, invented, kind)| {
                let copied = part(*start, *length);
                let text = if copied.len() > 1 { copied } else { invented };
                Phrase { text, kind: *kind }
            })
            .collect();
        let drafted = Posting {
            hide: &hide,
            ..by_rules
        };
        let prepared = prepare(&drafted, &budget).unwrap();
        prop_assert_eq!(&prepared.markdown, &expect.markdown);
        let redacted = &prepared.redacted_markdown;
        prop_assert!(shows_only(redacted, &expect.markdown), "{}", redacted);
        let shown = with_tokens(&title, find(&title, &drafted, &budget).unwrap());
        prop_assert!(shows_only(&shown, &title), "{} {}", shown, title);
        let texts = Texts {
            markdown: &prepared.markdown,
            redacted_markdown: redacted,
            rejection: Some("It is one."),
        };
        prop_assert_eq!(rules::check(&texts, None, &drafted, &budget), Ok(()));
    }
}
