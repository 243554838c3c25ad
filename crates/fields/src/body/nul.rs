//! U+0000 is forbidden anywhere in a body, even in unknown fields.
//!
//! JSON spells it `\u0000`; the character itself is not JSON.

use memchr::memmem;

use super::members::{NAME, members};
use crate::{
    FieldSpec,
    line::{InvalidLine, shown},
    validation::{FieldErrors, Rule},
};

const ESCAPE: &str = r"\u0000";

/// Whether the character may occur. This search is simple and fast, because every body is checked.
pub fn may_have(body: &str) -> bool {
    memmem::find(body.as_bytes(), ESCAPE.as_bytes()).is_some()
}

/// Adds an error for each field that has the character and no error yet. Fields of known objects
/// are reported by name.
pub fn refuse(body: &str, known: &[FieldSpec], errors: &mut FieldErrors) {
    if !may_have(body) {
        return;
    }
    for (name, value) in members(body) {
        let is_object = |field: &FieldSpec| field.name == name && !field.fields.is_empty();
        if value.starts_with('{') && known.iter().any(is_object) {
            for (inner, value) in members(value) {
                add(
                    &format!("{name}.{}", shown(&inner, NAME)),
                    &inner,
                    value,
                    errors,
                );
            }
        } else {
            add(&shown(&name, NAME), &name, value, errors);
        }
    }
    errors.sort_by_key(|path| FieldSpec::place(known, path));
}

fn add(path: &str, name: &str, value: &str, errors: &mut FieldErrors) {
    if (name.contains('\0') || has_nul(value)) && !errors.concern(path) {
        errors.add_as(Rule::Line, path, InvalidLine::Nul.to_string());
    }
}

/// Whether a JSON text has the escape, not preceded by an escaping backslash.
fn has_nul(json: &str) -> bool {
    json.match_indices(ESCAPE).any(|(at, _)| {
        let before = json.as_bytes()[..at].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FieldValue as _, body::unknown::tests::Known};

    #[test]
    fn the_field_that_has_it_is_named() {
        for (body, expect) in [
            (r#"{"a":1,"x":"\u0000","title":"\u0000"}"#, &["x"][..]),
            (
                r#" { "x" : [{"y":{"z":["a\u0000b"]}}] , "a" : "b" }"#,
                &["x"],
            ),
            (r#"{"x\u0000y":1}"#, &["x\u{fffd}y"]),
            (r#"{"x":{"\u0000":1},"y":"\\\u0000"}"#, &["x", "y"]),
            (r#"{"company":{"name":"A","x":"\u0000"}}"#, &["company.x"]),
            (r#"{"company":"\u0000"}"#, &["company"]),
            // These texts only look like the escape.
            (
                r#"{"x":"\\u0000 \u0001 \\\\u0000","y":"u0000","\\u0000":1}"#,
                &[],
            ),
            (r#"{"x":"\\u0000","y":"\u00000"}"#, &["y"]),
            // A long name is cut.
            (
                &format!(r#"{{"{}\u0000":1}}"#, "ü".repeat(300)),
                &[&*"ü".repeat(100)],
            ),
        ] {
            let mut errors = FieldErrors::one("title", "is wrong already");
            refuse(body, Known::FIELDS, &mut errors);
            let mut fields: Vec<_> = errors.iter().map(|(field, _)| field).collect();
            fields.retain(|field| *field != "title");
            assert_eq!(fields, expect, "{body}");
        }
    }
}
