//! Texts that are made to be slow or to become long, like cmark's pathological tests, each at
//! several sizes. Work is counted in steps of the budget, so nothing depends on the machine.
#![expect(clippy::unwrap_used, reason = "tests, whose budgets have no end")]

use std::sync::{Arc, atomic::AtomicBool};

use posting_text::{
    Budget, Exceeded, Posting, Prepared,
    markdown::from_description,
    prepare,
    redact::{self, Phrase},
    rules::{self, CheckError, Texts},
};

/// Makes a text of about this many bytes.
type Text = fn(usize) -> String;

/// A name, the company that a text is for, and what makes the text.
type Case = (String, String, Box<dyn Fn(usize) -> String>);

fn times(part: &str, bytes: usize) -> String {
    part.repeat(bytes / part.len())
}

/// Other texts for it.
const TEXTS: &[(&str, Text)] = &[
    (
        "a link whose destination is longer than all, over paragraphs",
        |n| {
            let href = "a".repeat(n / 2);
            format!(
                "<p><a href='http://x.example/{href}'>{}",
                times("a<p>", n / 2)
            )
        },
    ),
    ("long links over line breaks", |n| {
        let href = "a".repeat(2_000);
        times(
            &format!("<a href='http://x.example/{href}'>x<br><br>y<br><br>z</a>"),
            n,
        )
    }),
    ("a definition with many references", |n| {
        let destination = "a".repeat(n / 2);
        format!(
            "[a]: http://x.example/{destination}\n\n{}",
            times("[a] ", n / 2)
        )
    }),
    ("nested brackets around the name", |n| {
        format!("{}Acme{}", times("Acme (", n * 6 / 7), times(")", n / 7))
    }),
    ("the name in two scripts", |n| {
        times("アクメ", n / 2) + &times("Acme ", n / 2)
    }),
    ("one long name of a mailbox", |n| "a".repeat(n) + "@"),
    ("labels of two columns on every row", |n| {
        let (first, second) = ("😀".repeat(190), "😁".repeat(190));
        format!(
            "<table><tr><th>{first}<th>{second}{}",
            times("<tr><td>a<td>b", n)
        )
    }),
    ("labels of many columns", |n| {
        let row = format!("<tr>{}", "<td>a".repeat(300));
        format!(
            "<table><tr>{}{}",
            "<th>abcdefgh".repeat(300),
            times(&row, n)
        )
    }),
    ("cells that cover many others", |n| {
        let row = "<tr><td rowspan=99999 colspan=60>a<td rowspan=9>";
        format!("<table><tr><th>a<th>b{}", times(row, n))
    }),
    ("pipes in a cell", |n| {
        format!("<table><tr><th>a<th>b<tr><td>c<td>{}", times("|\\", n))
    }),
    ("lists in cells", |n| {
        format!(
            "<table><tr><th>a<th>b<tr><td>c<td>{}",
            times("<ul><li>a</ul><br>", n)
        )
    }),
    ("hidden elements in each other", |n| {
        times("<div hidden>", n / 2) + &times("</div>", n / 2)
    }),
    ("styles without an end", |n| {
        format!("<p style='{}'>a", times("a:b;", n))
    }),
    ("levels of a word processor's lists", |n| {
        let item = |level| format!("<p style='mso-list:l0 level{level} lfo1'>a");
        times(&(1..=9).map(item).collect::<String>(), n)
    }),
    ("preformatted lines", |n| {
        format!("<pre>{}<b>a", times("  a  b\n\n", n))
    }),
    ("columns of Markdown", |n| {
        let (head, line) = (times("|a", n / 4), times("|-", n / 4));
        format!("{head}\n{line}\n{}", times("|a\n", n / 2))
    }),
    ("numbered lists that are indented far", |n| {
        "<ol start=999990><li>x".repeat(8) + &times("<li>aaaa", n)
    }),
    ("markers of quotes", |n| times("> ", n) + "a"),
    ("markers of lists", |n| times("- ", n) + "a"),
    ("nested numbers and empty lines", |n| {
        format!("# a\n\n{}a{}", times("1. ", n / 2), "\n".repeat(n / 2))
    }),
    ("lists in lists by indentation", |n| {
        let lines = (0..).map(|depth| format!("{}- a\n", "  ".repeat(depth % 40)));
        let mut text = "**a**\n\n".to_owned();
        text.extend(lines.take(n / 44));
        text
    }),
    ("attributes", |n| format!("<a {}>x</a>", times("a=b ", n))),
    ("backticks of growing length", |n| {
        let mut text = "a".to_owned();
        for length in 1.. {
            if text.len() >= n {
                break;
            }
            text += &"`".repeat(length);
            text.push('a');
        }
        text
    }),
    ("code", |n| format!("<code>{}</code>", times("`a", n))),
    ("spaces", |n| "a ".to_owned() + &" ".repeat(n) + "b"),
    ("lines in a preformatted text", |n| {
        format!("<pre>{}", times("a \n", n))
    }),
    ("characters that grow when they are composed", |n| {
        times("\u{1d160}", n)
    }),
    ("marks on one letter", |n| {
        "a".to_owned() + &times("\u{301}", n)
    }),
];

/// Names of companies that are made to be slow, and the texts for them.
fn names() -> Vec<(String, Text)> {
    vec![
        // Every word is the first of the name, but the whole name never occurs.
        (format!("{}b", "a ".repeat(120)), |n| times("a ", n)),
        (format!("{}Bc", "Ab ".repeat(80)), |n| times("Ab ", n)),
        // Each letter may be left out of its acronym.
        ("Ab Bc Cd De Ef Fg Gh Hi Ij Jk".to_owned(), |n| {
            let acronyms = ["ABC", "ABD", "ACD", "BCD", "ABCD", "ABCDEFGH"];
            let name = "Ab Bc Cd De Ef Fg Gh Hi Ij Jk";
            let part = acronyms.map(|acronym| format!("{name} ({acronym}) "));
            times(&part.concat(), n)
        }),
        ("Acme (ACM) - Ab & Cd".to_owned(), |n| times("ACM & ", n)),
        ("アアアアアイ".to_owned(), |n| times("ア", n)),
        // Any small word may be left out of an acronym.
        (format!("A {}B C", "a ".repeat(100)), |n| {
            times("AAAAAAAAAA AAABC ", n)
        }),
        ("Müller & Söhne und Töchter & Enkel".to_owned(), |n| {
            times("Müller und Söhne & ", n)
        }),
        ("Серебряная Мельница".to_owned(), |n| {
            times("Серебряной ", n)
        }),
    ]
}

fn posting<'a>(company_name: &'a str, description: &'a str) -> Posting<'a> {
    Posting {
        title: "Cook",
        description,
        country: Some("NO"),
        city: Some("Oslo"),
        company_name,
        other_names: &[],
        company_website: "https://www.acme.example/jobs",
        base_url: Some("https://www.acme.example/jobs/1"),
        hide: &[],
    }
}

/// The prepared texts, as the rules check them.
fn texts(prepared: &Prepared) -> Texts<'_> {
    Texts {
        markdown: &prepared.markdown,
        redacted_markdown: &prepared.redacted_markdown,
        rejection: prepared.refusal.map(|_| "It says nothing."),
    }
}

/// Every text, with the company that it is for.
fn cases() -> Vec<Case> {
    let acme = |name: &str| (name.to_owned(), "Acme アクメ".to_owned());
    let mut cases: Vec<Case> = Vec::new();
    let repeated = include_str!("repeated.txt").lines().skip(1);
    for (name, part) in repeated.filter_map(|line| line.split_once(" | ")) {
        let (name, company) = acme(name);
        // The bar at the end holds a space before it.
        let part = part.trim_end_matches('|').replace('⏎', "\n");
        cases.push((name, company, Box::new(move |bytes| times(&part, bytes))));
    }
    for (name, text) in TEXTS {
        let (name, company) = acme(name);
        cases.push((name, company, Box::new(text)));
    }
    for (company, text) in names() {
        cases.push((format!("the company {company}"), company, Box::new(text)));
    }
    cases
}

/// The steps of all work on a posting, with a draft of a model as well.
fn steps(posting: &Posting<'_>) -> u64 {
    let budget = Budget::unlimited();
    let prepared = prepare(posting, &budget).unwrap();
    let text = &prepared.markdown;
    let _ = rules::check(
        &texts(&prepared),
        prepared.coordinates,
        posting,
        &Budget::unlimited(),
    );
    redact::markdown(text, posting, &budget).unwrap();
    // What a model hides is searched for in the same text.
    let words: Vec<&str> = text.split_whitespace().take(rules::MAX_PHRASES).collect();
    let kind = redact::Kind::Company;
    let hide: Vec<_> = words.iter().map(|text| Phrase { text, kind }).collect();
    let reviewed = Posting {
        hide: &hide,
        ..*posting
    };
    rules::faults(&reviewed, None, &budget).unwrap();
    prepare(&reviewed, &budget).unwrap();
    budget.spent()
}

#[test]
fn twice_the_text_takes_twice_the_steps() {
    const SIZE: usize = 12_000;
    for (name, company, text) in cases() {
        let [one, two] = [SIZE, 2 * SIZE].map(|size| {
            // Each text has about its size.
            let description = text(size);
            let posting = posting(&company, &description);
            (steps(&posting), description.len())
        });
        let growth = as_float(two.0) / as_float(one.0);
        let larger = as_float(two.1 as u64) / as_float(one.1 as u64);
        assert!(
            growth <= 2.3 * larger / 2.0_f64.min(larger),
            "{name}: {growth:.2} times the steps for {larger:.2} times the text"
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio of small numbers")]
fn as_float(number: u64) -> f64 {
    number as f64
}

#[test]
fn every_text_ends_within_its_budget() {
    const SIZE: usize = 60_000;
    let mut rejected = Vec::new();
    for (name, company, text) in cases() {
        let description = text(SIZE);
        let posting = posting(&company, &description);
        let Ok(prepared) = prepare(&posting, &Budget::of(&description)) else {
            rejected.push(name);
            continue;
        };
        let (texts, place) = (texts(&prepared), prepared.coordinates);
        match rules::check(&texts, place, &posting, &Budget::of(&description)) {
            Ok(()) => {}
            Err(CheckError::Exceeded(_)) => rejected.push(name),
            Err(CheckError::Breach(breach)) => panic!("{name}: {breach}"),
        }
    }
    assert_eq!(rejected, ["numbered lists that are indented far"]);
}

#[test]
fn work_ends_wherever_its_budget_does() {
    for (name, company, text) in cases() {
        let description = text(3_000);
        let posting = posting(&company, &description);
        let longest = rules::longest(&description);
        let whole = Budget::new(u64::MAX, longest);
        let _ = prepare(&posting, &whole);
        for part in 0..5 {
            let steps = whole.spent() * part / 5;
            let budget = Budget::new(steps, longest);
            assert_eq!(prepare(&posting, &budget), Err(Exceeded::Steps), "{name}");
            // No single piece of work takes so long that a stop flag would be noticed late.
            let more = budget.spent() - steps;
            assert!(more <= 8 * longest as u64, "{name}: {more} steps more");
        }
        let stop = Arc::new(AtomicBool::new(true));
        let stopped = prepare(&posting, &Budget::of(&description).until(stop));
        assert_eq!(stopped, Err(Exceeded::Stopped), "{name}");
    }
}

#[test]
fn a_destination_is_short_and_written_once() {
    let clean = |text: &str| from_description(text, &Budget::unlimited()).unwrap();
    let longest = format!("https://x.example/{}", "a".repeat(2_048 - 18));
    assert_eq!(
        clean(&format!("<a href='{longest}'>a</a>")),
        format!("[a]({longest})")
    );
    assert_eq!(clean(&format!("<a href='{longest}a'>a</a>")), "a");
    for (html, expect) in [
        (
            "<a href='https://a.b'>c<p>d</p></a>",
            "[c](https://a.b)\n\nd",
        ),
        (
            "<a href='https://a.b'><p>c</p><p>d</p></a>",
            "[c](https://a.b)\n\nd",
        ),
        (
            "e <a href='https://a.b'><div>c</div></a>",
            "e\n\n[c](https://a.b)",
        ),
        (
            "<p><a href='https://a.b'>c<br>d</a></p>",
            "[c\\\nd](https://a.b)",
        ),
        (
            "<p><a href='https://a.b'>c<br><br>d</a></p>",
            "[c](https://a.b)\n\nd",
        ),
    ] {
        assert_eq!(clean(html), expect, "{html}");
    }
}

#[test]
fn a_check_that_takes_too_much_says_so() {
    let posting = posting("Acme", "A cook for Oslo.");
    let prepared = prepare(&posting, &Budget::of(posting.description)).unwrap();
    assert_eq!(
        rules::check(&texts(&prepared), None, &posting, &Budget::new(0, 0)),
        Err(CheckError::Exceeded(Exceeded::Steps))
    );
}
