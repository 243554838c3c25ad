use super::check;

fn item(list: &str, marker: &str, text: &str) -> String {
    format!(
        "<p class=MsoListParagraphCxSpMiddle style='margin-left:36pt;mso-list:{list} lfo1'>\
         <![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>\
         {marker}<span style='font:7.0pt \"Times New Roman\"'>&nbsp;&nbsp;&nbsp; </span></span>\
         </span><![endif]><span lang=EN-US>{text}<o:p></o:p></span></p>\n"
    )
}

/// The items of lists, `{list, level and marker: text}`, and the result.
#[test]
fn lists() {
    for (case, expect) in [
        (
            "<p>You:</p>{l0 1 ·: Plan}{l0 1 ·: Lead}<p>We</p>",
            "You:\n\n- Plan\n- Lead\n\nWe",
        ),
        ("{l0 1 o: Plan}", "- Plan"),
        ("{l0 1 §: Plan}", "- Plan"),
        ("{l0 1 Ø: Plan}", "- Plan"),
        ("{l0 1 v: Plan}", "- Plan"),
        ("{l0 1 ü: Plan}", "- Plan"),
        ("{l0 1 -: Plan}", "- Plan"),
        (
            "{l0 1 ·: a}{l0 2 o: b}{l0 3 §: c}{l0 1 ·: d}",
            "- a\n  - b\n    - c\n- d",
        ),
        (
            "{l1 1 3.: a}{l1 2 a): b}{l1 1 4.: c}",
            "3. a\n   1. b\n4. c",
        ),
        (
            "{l0 1 ·: a}{l0 1 ·: b}{l1 1 ·: c}{l1 1 ·: d}",
            "- a\n- b\n\n* c\n* d",
        ),
        (
            "<table><tr><td>{l0 1 ·: a}{l0 1 ·: b}</td></tr></table><p>c</p>",
            "- a\n- b\n\nc",
        ),
        (
            "<ul><li>a</li></ul>{l0 1 ·: b}{l0 1 ·: c}",
            "- a\n\n* b\n* c",
        ),
    ] {
        let pieces = case.split(['{', '}']).enumerate();
        let html = pieces.map(|(number, piece)| match piece.split_once(": ") {
            Some((head, text)) if number % 2 == 1 => {
                let (list, marker) = head.rsplit_once(' ').unwrap();
                item(&list.replace(' ', " level"), marker, text)
            }
            _ => piece.to_owned(),
        });
        check(case, &html.collect::<String>(), expect);
    }
}
