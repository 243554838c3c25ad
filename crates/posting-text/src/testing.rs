use proptest::prelude::*;

#[cfg(feature = "redact")]
use crate::Posting;
#[cfg(all(feature = "markdown", feature = "redact"))]
use crate::{min_hash::mixed, rules::Texts};

/// Returns a posting of Acmera AS in Oslo, with the website `https://www.acmera.no`.
#[cfg(feature = "redact")]
pub(crate) fn posting(description: &str) -> Posting<'_> {
    Posting {
        title: "Cook",
        description,
        country: Some("NO"),
        city: Some("Oslo"),
        company_name: "Acmera AS",
        other_names: &[],
        company_website: "https://www.acmera.no",
        region: None,
        base_url: None,
        hide: &[],
    }
}

/// Puts places into another order, the same one for a seed on every machine.
#[cfg(all(feature = "markdown", feature = "redact"))]
#[expect(
    clippy::cast_possible_truncation,
    reason = "any part of a random number is one"
)]
pub(crate) fn shuffle(order: &mut [usize], seed: &mut u64) {
    for last in (1..order.len()).rev() {
        *seed = mixed(*seed);
        order.swap(last, *seed as usize % (last + 1));
    }
}

#[cfg(all(feature = "markdown", feature = "redact"))]
pub(crate) fn approval<'a>(markdown: &'a str, redacted_markdown: &'a str) -> Texts<'a> {
    Texts {
        markdown,
        redacted_markdown,
        rejection: None,
    }
}

#[cfg(all(feature = "markdown", feature = "redact"))]
pub(crate) fn rejection(text: &str) -> Texts<'_> {
    Texts {
        rejection: Some(text),
        ..approval("", "")
    }
}

/// Returns the cases of a file: one per line, with the escapes of Rust. A comment begins with `# `.
pub(crate) fn cases(file: &'static str) -> impl Iterator<Item = String> {
    let is_case = |line: &&str| !line.is_empty() && !line.starts_with("# ");
    file.lines().filter(is_case).map(unescaped)
}

fn unescaped(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let escape = (c == '\\').then(|| chars.next().unwrap());
        out.push(match escape {
            None => c,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('\\') => '\\',
            Some('u') => {
                let code: String = chars.by_ref().take_while(|c| *c != '}').skip(1).collect();
                char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap()
            }
            Some(other) => panic!("\\{other}: {line}"),
        });
    }
    out
}

/// Generates one of the texts of a list, which bars separate.
pub(crate) fn one_of(list: &'static str) -> impl Strategy<Value = String> {
    prop::sample::select(list.split('|').collect::<Vec<_>>()).prop_map(str::to_owned)
}
