//! Which tables stay tables, and what a cell looks like on one line.

use super::check;

#[test]
fn without_headers() {
    cases! {
        "facts":
            "<table><tr><td>Place</td><td>Lyon</td></tr><tr><td>Hours:</td><td>35</td></tr></table>"
            => "- **Place:** Lyon\n- **Hours:** 35";
        "layout": "<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>" => "a\n\nb\n\nc";
        "one column": "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>" => "a\n\nb";
        "a list in a cell": "<table><tr><td><ul><li>a</ul></td></tr></table>b" => "- a\n\nb";
        "cells without a table": "<td>a</td><tr>b" => "a\n\nb";
        "a list, and the list that a table becomes":
            "<ul><li>a<li>b</ul><table><tr><td>c<td>d<tr><td>e<td>f</table>"
            => "- a\n- b\n\n* **c:** d\n* **e:** f";
    }
}

#[test]
fn with_headers() {
    cases! {
        "headers":
            "<table><tr><th>Day</th><th>Hours</th></tr><tr><td>Mon</td><td>8</td></tr></table>"
            => "| Day | Hours |\n| --- | --- |\n| Mon | 8 |";
    }
    check(
        "a head with plain cells",
        "<table><thead><tr><td>Day</td><td>Hours</td></tr></thead>\
         <tbody><tr><td>Mon</td><td>8</td></tr></tbody></table>",
        "| Day | Hours |\n| --- | --- |\n| Mon | 8 |",
    );
    let long = "A sentence about the grade. ".repeat(12);
    let long = long.trim_end();
    cases! {
        "long cells":
            &format!("<table><tr><th>GS-14<th>GS-15<tr><td>{long}<td>{long}</table>")
            => &format!("| GS-14 | GS-15 |\n| --- | --- |\n| {long} | {long} |");
        "a title above the headers":
            "<table><tr><th colspan=2>Pay<tr><th>a<th>b<tr><td>c<td>d</table>"
            => "Pay\n\n| a | b |\n| --- | --- |\n| c | d |";
        "headers before the cells of two columns":
            &format!("<table><tr><th>Place<td>Lyon<tr><th>Hours<td>{long}</table>")
            => &format!("- **Place:** Lyon\n- **Hours:** {long}");
        "headers before the cells of more columns":
            "<table><tr><th>a<td>b<td>c<tr><th>d<td>e<td>f</table>"
            => "| | | |\n| --- | --- | --- |\n| a | b | c |\n| d | e | f |";
        "cells that cover others":
            "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>"
            => "| a | | b |\n| --- | --- | --- |\n| c | d | e |\n| | f | g |";
        "a row that is longer than the headers, and a shorter one":
            "<table><tr><th>a<th>b<tr><td>c<td>d<td>e<tr><td>f</table>"
            => "| a | b | |\n| --- | --- | --- |\n| c | d | e |\n| f | | |";
        "parts of the page in cells":
            "<table><tr><th>a<th>b<tr><td><h2>c</h2><p>d</p><td>e</table>"
            => "a\n\nb\n\n## c\n\nd\n\ne";
        "in an item":
            "<ul><li>a<table><tr><th>b<th>c<tr><td>d<td>e</table><ul><li>f</ul></ul>"
            => "- a\n\n  | b | c |\n  | --- | --- |\n  | d | e |\n\n  - f";
    }
}

#[test]
fn in_a_cell() {
    let in_cell = |name: &str, cell: &str, expect: &str| {
        check(
            name,
            &format!("<table><tr><th>a<th>b<tr><td>{cell}</td><td>c</td></table>"),
            &format!("| a | b |\n| --- | --- |\n| {expect} | c |"),
        );
    };
    in_cell("a pipe", "x|y", r"x\|y");
    in_cell("a pipe after a backslash", r"x\|y", r"x\\\|y");
    in_cell(
        "a pipe in code",
        "<code>x|y</code> or <code>z</code>",
        r"x\|y or `z`",
    );
    in_cell("lines", "Mon<br>Tue.<br>Wed", "Mon; Tue. Wed");
    in_cell("paragraphs", "<p>Mon</p><p>Tue</p>", "Mon; Tue");
    in_cell("a list", "Do:<ul><li>x<li>y</ul>", "Do: • x • y");
    in_cell("numbers", "<ol><li>x<li>y</ol>", "1. x 2. y");
    in_cell("signs of blocks", "# x", "# x");
    in_cell(
        "marks",
        "<b>x</b> <a href='https://e.org'>y</a>",
        "**x** [y](https://e.org)",
    );
}

#[test]
fn typed_tables() {
    let table = "| Day | Pay |\n| --- | --- |\n| Mon | 5 |";
    cases! {
        "a table stays": table => table;
        "other forms of it":
            "Pay:\n\nDay | Pay\n:-- | :-:\nMon | **5**"
            => "Pay:\n\n| Day | Pay |\n| --- | --- |\n| Mon | **5** |";
        "what would become one":
            "<p>a | b<br>:-- | --<br>-|-</p>" => "a | b\\\n\\:-- | --\\\n\\-|-";
    }
}
