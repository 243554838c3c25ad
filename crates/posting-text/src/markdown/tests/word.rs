//! Descriptions pasted from a word processor or an e-mail program.

use super::check;

/// A paragraph of a list, as word processors write it.
fn item(list: &str, marker: &str, text: &str) -> String {
    format!(
        "<p class=MsoListParagraphCxSpMiddle style='margin-left:36pt;mso-list:{list} lfo1'>\
         <![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>\
         {marker}<span style='font:7.0pt \"Times New Roman\"'>&nbsp;&nbsp;&nbsp; </span></span>\
         </span><![endif]><span lang=EN-US>{text}<o:p></o:p></span></p>\n"
    )
}

#[test]
fn lists() {
    let bullets = item("l0 level1", "·", "Plan") + &item("l0 level1", "·", "Lead");
    check(
        "bullets",
        &format!("<p>You:</p>{bullets}<p>We</p>"),
        "You:\n\n- Plan\n- Lead\n\nWe",
    );
    for marker in ["o", "§", "Ø", "v", "ü", "-"] {
        check(marker, &item("l0 level1", marker, "Plan"), "- Plan");
    }
    check(
        "levels",
        &[
            item("l0 level1", "·", "a"),
            item("l0 level2", "o", "b"),
            item("l0 level3", "§", "c"),
            item("l0 level1", "·", "d"),
        ]
        .concat(),
        "- a\n  - b\n    - c\n- d",
    );
    check(
        "numbers",
        &[
            item("l1 level1", "3.", "a"),
            item("l1 level2", "a)", "b"),
            item("l1 level1", "4.", "c"),
        ]
        .concat(),
        "3. a\n   1. b\n4. c",
    );
    check(
        "two lists",
        &[
            item("l0 level1", "·", "a"),
            item("l0 level1", "·", "b"),
            item("l1 level1", "·", "c"),
            item("l1 level1", "·", "d"),
        ]
        .concat(),
        "- a\n- b\n\n* c\n* d",
    );
    check(
        "in a cell and after it",
        &format!("<table><tr><td>{bullets}</td></tr></table><p>a</p>"),
        "- Plan\n- Lead\n\na",
    );
    check(
        "after a list",
        &format!("<ul><li>a</li></ul>{bullets}"),
        "- a\n\n* Plan\n* Lead",
    );
}
