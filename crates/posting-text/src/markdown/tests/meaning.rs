//! What changes the meaning of a text when it is lost: scripts, deletions, links, hidden text.

use super::{super::read, Budget, check};

#[test]
fn scripts() {
    cases! {
        "10<sup>6</sup> and 10<sup>-3</sup>" => "10⁶ and 10⁻³";
        "m<sup>2</sup>, H<sub>2</sub>O" => "m², H₂O";
        "1<sup>st</sup>, M<sup>me</sup>, CO<sub>x</sub>" => "1st, Mme, COx";
        "n<sup>o</sup> 5, 2<sup>a</sup>" => "nº 5, 2ª";
        "x<sup>n+1</sup>" => "xⁿ⁺¹";
        "2<sup>1,5</sup>" => "2^1,5";
        "Acmera<sup>TM</sup> Acmera<sup>®</sup>" => "Acmera™ Acmera®";
        "<b>10<sup>6</sup></b> x" => "**10⁶** x";
        "a<sup>2" => "a²";
    }
}

#[test]
fn deletions() {
    for (html, expect) in [
        ("<del>50 000</del> 60 000 NOK", "~~50 000~~ 60 000 NOK"),
        ("<s>a</s> <strike>b</strike>", "~~a b~~"),
        ("x<del> a </del>y", "x ~~a~~ y"),
        ("<b><del>a</del></b> b", "~~**a**~~ b"),
        ("<del>a <b>b</b> c</del>", "~~a **b** c~~"),
        (
            "<del><a href='https://e.org'>a</a></del>",
            "~~[a](https://e.org)~~",
        ),
        ("<del>a</del> 5~6", r"~~a~~ 5\~6"),
    ] {
        check("deletions", &format!("<p>{html}</p>"), expect);
    }
    cases! {
        "typed": "Pay: ~~50~~ 60" => "Pay: ~~50~~ 60";
        "from nine to five": "<p>9~17, ~ 5</p>" => "9~17, ~ 5";
        "two times": "<p>9~17, 8~16</p>" => r"9~17, 8\~16";
    }
}

#[test]
fn preformatted_text() {
    cases! {
        "its lines and spaces":
            "<pre>\n  a  b\n    c\n\n\n  d\n</pre>" => "```\n  a  b\n    c\n\n  d\n```";
        "nothing in it": "<pre> \n </pre>a" => "a";
        "links in it":
            "<pre>a  <a href='https://e.org'>b</a>\n   c</pre>" => "a [b](https://e.org)\\\nc";
        "paragraphs in it": "<pre><p>a\n  b</p></pre>" => "a\\\nb";
    }
}

#[test]
fn hidden_text() {
    for (name, html) in [
        (
            "display",
            "<div style='color:red; DISPLAY : none!important'>x</div>",
        ),
        ("visibility", "<span style='visibility:hidden'>x</span>"),
        ("size", "<span style='font-size:0px'>x</span>"),
        ("attribute", "<p hidden>x</p>"),
        ("an element within", "<div hidden><div>x</div>x</div>"),
        ("Outlook", "<span style='mso-hide:all'>x</span>"),
        ("template", "<template><p>x</p></template>"),
        ("noscript", "<noscript>Enable JavaScript</noscript>"),
        ("no end tag", "<p hidden>x"),
        (
            "an image",
            "<span style='font-size:0'><img alt='Great place'></span>",
        ),
    ] {
        check(name, &format!("<p>a</p>{html}<p>b</p>"), "a\n\nb");
    }
    cases! {
        "items": "<ul><li>a<li style='display:none'>x<ul><li>x</ul><li>b</ul>c" => "- a\n- b\n\nc";
        "cells":
            "<table><tr><th>a<th hidden>x<th>b<tr><td>c<td hidden>x<td>d</table>"
            => "| a | b |\n| --- | --- |\n| c | d |";
        "the end of what is around it": "<div><span hidden>x</div><p><span>a</span></p>" => "a";
    }
}

#[test]
fn text_that_is_not_hidden() {
    cases! {
        "no end tag": "<div style='display:none'>a<p>b</p>" => "a\n\nb";
        "a size within":
            "<td style='font-size:0px'>x<div style='font-size:13px'>a</div></td>" => "a";
        "other styles": "<p style='font-size:0.8em;display:inline;visibility:visible'>a</p>" => "a";
        "from screen readers alone": "<p aria-hidden=true>a</p>" => "a";
        "an empty element": "<br hidden>a<img hidden>" => "a";
    }
}

#[test]
fn relative_links() {
    let read = |html: &str, base: Option<&str>| {
        let budget = Budget::unlimited();
        let document = read(html, base, &budget).unwrap();
        super::super::write(&document, &budget).unwrap()
    };
    let base = Some("https://e.org/jobs/1?a=b");
    for (href, expect) in [
        ("/apply", "[x](https://e.org/apply)"),
        ("2", "[x](https://e.org/jobs/2)"),
        ("../a b", "[x](https://e.org/a%20b)"),
        ("?c", "[x](https://e.org/jobs/1?c)"),
        ("//cdn.org/a", "[x](https://cdn.org/a)"),
        ("https://f.org", "[x](https://f.org)"),
        ("#top", "x"),
        ("", "x"),
        ("javascript:alert(1)", "x"),
        ("tel:1", "x"),
        ("java\nscript:alert(1)//", "x"),
    ] {
        let html = format!("<p><a href='{href}'>x</a></p>");
        assert_eq!(read(&html, base), expect, "{href}");
    }
    for base in [
        None,
        Some("no address"),
        Some("mailto:a@e.org"),
        Some("data:,a"),
    ] {
        assert_eq!(
            read("<a href='/a'>x</a> <a href='//b.org'>y</a>", base),
            "x y"
        );
    }
    assert_eq!(
        read("**a** [x](/b) ![y z](/c.png)", base),
        "**a** [x](https://e.org/b) y z"
    );
}

#[test]
fn addresses_in_angle_brackets() {
    cases! {
        "Markdown":
            "**See** <https://e.org/a_b>" => "**See** [https://e.org/a_b](https://e.org/a_b)";
        "lines":
            "See <https://e.org>\nand <mailto:a@e.org>."
            => "See [https://e.org](https://e.org)\\\nand [mailto:a@e.org](mailto:a@e.org).";
        "code": "**a** `<https://e.org>`" => "**a** &lt;https://e.org>";
    }
}
