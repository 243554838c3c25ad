//! Quirks of real descriptions, each a named case; `properties` tests what holds for every input.

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
