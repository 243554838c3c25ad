//! Quirks of real descriptions, each a named case; `properties` has what holds for any input.

mod html;
mod properties;
mod text;

use super::from_description;

fn check(name: &str, raw: &str, expect: &str) {
    assert_eq!(from_description(raw), expect, "{name}");
}
