//! Quirks of real descriptions, each a named case; `properties` tests what holds for every input.

/// Checks conversions: `"its name": "source" => "Markdown";`, or without the name.
macro_rules! cases {
    ($($name:literal: $raw:expr => $expect:expr;)+) => {
        $(crate::markdown::tests::check($name, $raw, $expect);)+
    };
    ($($raw:expr => $expect:expr;)+) => {
        $(crate::markdown::tests::check($raw, $raw, $expect);)+
    };
}

mod html;
mod meaning;
mod properties;
mod tables;
mod text;
mod word;

use crate::Budget;

fn from_description(raw: &str) -> String {
    super::from_description(raw, &Budget::unlimited()).unwrap()
}

fn check(name: &str, raw: &str, expect: &str) {
    assert_eq!(from_description(raw), expect, "{name}");
}
