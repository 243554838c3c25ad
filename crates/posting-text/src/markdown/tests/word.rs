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
    cases! {
        "bullets": &format!("<p>You:</p>{bullets}<p>We</p>") => "You:\n\n- Plan\n- Lead\n\nWe";
    }
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
    cases! {
        "in a cell and after it":
            &format!("<table><tr><td>{bullets}</td></tr></table><p>a</p>") => "- Plan\n- Lead\n\na";
        "after a list": &format!("<ul><li>a</li></ul>{bullets}") => "- a\n\n* Plan\n* Lead";
    }
}

#[test]
fn markers_without_styles() {
    for marker in ["·", "o", "§"] {
        check(
            "conditional comments",
            &format!("<p><![if !supportLists]>{marker}&nbsp; <![endif]>Plan the work</p>"),
            "- Plan the work",
        );
        check(
            "comments",
            &format!("<p><!--[if !supportLists]-->{marker} <!--[endif]-->Plan the work</p>"),
            "- Plan the work",
        );
        check(
            "classes",
            &format!("<p class='x_MsoListParagraph'>{marker}&nbsp;&nbsp; Plan the work</p>"),
            "- Plan the work",
        );
    }
    cases! {
        "no marker": "<p class=MsoListParagraph>Plan o work</p>" => "Plan o work";
        "a list that keeps its style alone":
            "<p style='mso-list:l0 level1 lfo1'>a</p><p style='mso-list:l0 level1 lfo1'>b</p>"
            => "- a\n- b";
        "no list": "<p>o Plan</p>" => "o Plan";
    }
}

#[test]
fn what_is_no_marker_shows() {
    cases! {
        "a long one":
            "<p><![if !supportLists]>This is what you will do here: <![endif]>plan</p>"
            => "This is what you will do here: plan";
        "one that never ends": "<p>a</p><p><![if !supportLists]>Cook" => "a\n\n- Cook";
        "words": "<p><![if !supportLists]>Step 1 <![endif]>plan</p>" => "- Step 1 plan";
        "in the middle": "<p>a <![if !supportLists]>· <![endif]>b</p>" => "a · b";
    }
}

#[test]
fn leftovers() {
    cases! {
        "conditional comments":
            "<p>a<![if !supportEmptyParas]>&nbsp;<![endif]></p><!--[if mso]><p>x</p><![endif]-->"
            => "a";
        "islands of data": "<xml><o:x>x</o:x></xml><p>a</p>" => "a";
        "character data": "<![CDATA[<p>a</p>]]>" => "a";
        "its end alone": "<p>a</p>]]>" => "a";
        "in plain text": "<![CDATA[a & b]]>" => "a & b";
        "in code": "<p>x]]>y</p>" => "x]]>y";
    }
}
