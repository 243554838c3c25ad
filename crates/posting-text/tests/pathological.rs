//! Texts that are made to be slow or long, like cmark's pathological tests, each at several sizes.
//! Work is counted in steps, so nothing depends on the machine.
#![expect(clippy::unwrap_used, reason = "tests, whose budgets have no end")]

use std::sync::{Arc, atomic::AtomicBool};

use posting_text::{
    Budget, Exceeded, Posting, Prepared, prepare,
    redact::{self, Phrase},
    rules::{self, CheckError, Texts},
};

/// The name of the case, the company, and a function that returns a text of about so many bytes.
type Case = (String, String, Box<dyn Fn(usize) -> String>);

fn times(part: &str, bytes: usize) -> String {
    part.repeat(bytes / part.len())
}

/// Repeats each part in `⟦…⟧`, or a pattern without such parts as a whole, up to `bytes`.
fn filled(pattern: &str, bytes: usize) -> String {
    let share = bytes / pattern.matches('⟦').count().max(1);
    if share == bytes && !pattern.contains('⟦') {
        return times(pattern, bytes);
    }
    let pieces = pattern.split(['⟦', '⟧']).enumerate();
    let written = pieces.map(|(number, piece)| match number % 2 {
        0 => piece.to_owned(),
        _ => times(piece, share),
    });
    written.collect()
}

type Fill = fn(usize) -> String;

const OTHERS: [(&str, Fill); 5] = [
    ("long links over line breaks", |n| {
        let href = "a".repeat(2_000);
        times(
            &format!("<a href='http://x.example/{href}'>x<br><br>y<br><br>z</a>"),
            n,
        )
    }),
    ("labels of two columns on every row", |n| {
        let (first, second) = ("😀".repeat(190), "😁".repeat(190));
        format!(
            "<table><tr><th>{first}<th>{second}{}",
            times("<tr><td>a<td>b", n)
        )
    }),
    ("labels of many columns", |n| {
        let (head, row) = (
            "<th>abcdefgh".repeat(300),
            format!("<tr>{}", "<td>a".repeat(300)),
        );
        format!("<table><tr>{head}{}", times(&row, n))
    }),
    ("lists in lists by indentation", |n| {
        let lines = (0..n / 44).map(|depth| format!("{}- a\n", "  ".repeat(depth % 40)));
        format!("**a**\n\n{}", lines.collect::<String>())
    }),
    ("backticks of growing length", |n| {
        let runs = (1..).map(|length| "`".repeat(length) + "a");
        let fits = |length: &mut usize, run: String| {
            *length += run.len();
            (*length < n).then_some(run)
        };
        runs.scan(0, fits).collect()
    }),
];

fn cases() -> Vec<Case> {
    let repeated = include_str!("repeated.txt").lines();
    let repeated = repeated.filter_map(|line| line.split_once(" | "));
    let repeated = repeated.map(|(name, text)| -> Case {
        let (name, company) = name.split_once(" @ ").unwrap_or((name, "Acme アクメ"));
        // The bar at the end holds a space before it.
        let text = text.strip_suffix('|').unwrap().replace('⏎', "\n");
        let fill = Box::new(move |bytes| filled(&text, bytes));
        (
            name.to_owned(),
            if company.contains('⟦') {
                filled(company, 240)
            } else {
                company.to_owned()
            },
            fill,
        )
    });
    let others = OTHERS.map(|(name, text)| -> Case {
        (name.to_owned(), "Acme アクメ".to_owned(), Box::new(text))
    });
    repeated.chain(others).collect()
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
        region: None,
        base_url: Some("https://www.acme.example/jobs/1"),
        hide: &[],
    }
}

fn texts(prepared: &Prepared) -> Texts<'_> {
    Texts {
        markdown: &prepared.markdown,
        redacted_markdown: &prepared.redacted_markdown,
        rejection: prepared.refusal.map(|_| "It says nothing."),
    }
}

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
        let checked = Texts {
            markdown: &description,
            redacted_markdown: "",
            rejection: None,
        };
        let checked = rules::check(&checked, None, &posting, &Budget::new(0, 0));
        assert_eq!(
            checked,
            Err(CheckError::Exceeded(Exceeded::Steps)),
            "{name}"
        );
        let stop = Arc::new(AtomicBool::new(true));
        let stopped = prepare(&posting, &Budget::of(&description).until(stop));
        assert_eq!(stopped, Err(Exceeded::Stopped), "{name}");
    }
}
