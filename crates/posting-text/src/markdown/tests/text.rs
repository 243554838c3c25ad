//! Text without elements, and Markdown syntax typed into elements.

use super::check;

#[test]
fn plain_text() {
    cases! {
        "lines": "One\nTwo\r\n\r\nThree\rFour" => "One\\\nTwo\n\nThree\\\nFour";
        "bullets": "Tasks:\n* a\n* b\nPay:\n- c\n- d" => "Tasks:\n\n- a\n- b\n\nPay:\n\n- c\n- d";
        "bullets with a sign": "• a\n• b" => "- a\n- b";
        "bullets with lines between": "- a\n\n- b" => "- a\n- b";
        "numbers": "1. a\n2. b\n3) c" => "1. a\n2. b\n3. c";
        "a dash that says something else": "Pay\n- good\nend" => "Pay\n\n- good\n\nend";
        "literal line feeds": r"One\n\nTwo\nThree" => "One\n\nTwo\\\nThree";
        "a path is no line feed": r"See C:\new\notes" => r"See C:\new\notes";
        "entities": "R&amp;D &gt; all" => "R&D > all";
        "comparison": "a < b > c, 3<4" => "a < b > c, 3<4";
        "soft hyphens and invisible spaces": "U\u{ad}b\u{200b}er" => "Uber";
        "the same as entities": "<p>U&shy;b&#8203;er &#x202e;&#1;x</p>" => "Uber x";
        "composed letters": "Cafe\u{301}" => "Café";
    }
}

#[test]
fn mixed() {
    cases! {
        "inline tags and line feeds": "<b>Us</b>\nWe do.\n\nMore" => "**Us**\\\nWe do.\n\nMore";
        "blocks and bare lines": "<p>Us</p>\nTasks:\n- a\n- b" => "Us\n\nTasks:\n\n- a\n- b";
        "an empty line in a block": "<div>One\n\nTwo\nthree</div>" => "One\n\nTwo three";
        "breaks and line feeds": "One<br>\nTwo" => "One\\\nTwo";
    }
}

#[test]
fn markdown_typed_into_html() {
    cases! {
        "strong": "<p>**Us**</p><ul><li>**Pay:** good</li></ul>" => "**Us**\n\n- **Pay:** good";
        "a space too many":
            "<p>a <b>driver</b> (**DRV **here)</p>" => "a **driver** (**DRV** here)";
        "a heading": "<div>## Tasks</div><p>Drive.</p>" => "## Tasks\n\nDrive.";
        "a number sign": "<p># 1 in Europe</p>" => "\\# 1 in Europe";
    }
    cases! {
        "<p>English**. **See below</p>" => r"English\*\*. \*\*See below";
        "<p>2**3 and 3**2</p>" => r"2\*\*3 and 3\*\*2";
        "<p>**a</p><p>b**</p>" => "\\*\\*a\n\nb\\*\\*";
        "<p>** ** and ****</p>" => r"\*\* \*\* and \*\*\*\*";
    }
}

#[test]
fn escaped_too_often() {
    cases! {
        "tags": "&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;" => "One\n\nTwo";
        "entities": "<p>R&amp;amp;D &amp;nbsp;&amp;eacute;</p>" => "R&D é";
        "twice": "&amp;lt;b&amp;gt;One&amp;lt;/b&amp;gt; &amp;amp;amp; two" => "**One** & two";
        "inside a wrapper": "<div>&lt;p&gt;a&lt;/p&gt;&lt;p&gt;b&lt;/p&gt;</div>" => "a\n\nb";
        "a job that talks about tags":
            "<p>Know &lt;div&gt;</p><p>and CSS</p>" => "Know &lt;div>\n\nand CSS";
    }
}

#[test]
fn markdown_stays() {
    for text in [
        "_All of it_",
        "1. one item",
        "> said",
        "a\n\n---\n\nb",
        "- a\n\n  b",
        r"1\. no item",
        r"[a]\: b",
        "a `b < c` and `<` d",
        "# A\n\nText with **strong** and _soft_ words.\n\n- a\n- b\n  - c\n\n1. x\n2. y",
        "> quote\n\n---\n\n[text](https://e.org/a_b)\n\nOne\\\nTwo",
        r"1\. not a list, \* not a bullet, a\_ b, `code`",
        "```\ncode\n```\n\nText",
    ] {
        check("as it was", text, text);
    }
    cases! {
        "other signs": "Title\n=====\n* a\n* b\n\n__x__" => "# Title\n\n- a\n- b\n\n**x**";
        "line ends are meant": "**Us**\nWe do.\nMore." => "**Us**\\\nWe do.\\\nMore.";
        "dangerous links": "**a** [x](javascript:alert(1))" => "**a** x";
        "tags within": "## A\n\nb<br>c <script>x</script>" => "## A\n\nb\\\nc";
        "no code by four spaces": "# A\n\n    text" => "# A\n\ntext";
    }
}

#[test]
fn text_that_looks_like_markup() {
    cases! {
        "unknown tags":
            "<p>Dear <your name>, List<String></p>" => "Dear &lt;your name>, List&lt;String>";
        "an address in angle brackets": "Write to <a@e.org>" => "Write to &lt;a@e.org>";
        "a tag that never ends": "<p>a <b" => "a &lt;b";
        "signs of Markdown":
            "<p>*a* _b_ [c](d) `e` ~~f~~</p>" => r"\*a\* \_b\_ [c]\(d) \`e\` \~\~f\~\~";
        "words with underscores": "<p>snake_case_name _x</p>" => r"snake_case_name \_x";
        "signs at the start": "<p># a</p><p>+ b</p><p>> c</p>" => "\\# a\n\n\\+ b\n\n\\> c";
        "rules and underlines": "<p>a<br>---<br>===</p>" => "a\\\n\\---\\\n\\===";
        "a definition": "<p>[a]: https://e.org</p>" => r"[a]\: https://e.org";
        "a number in a heading":
            "<h3>1. Lead</h3><h3># 1</h3><h3>C #</h3><h3>#</h3>"
            => "### 1. Lead\n\n### # 1\n\n### C \\#\n\n### \\#";
        "entities": "<p>&amp;amp;lt; &amp;copy</p>" => "< &copy";
        "an escaped sign in code": r"<code>\~\<" => "`~<`";
        "an escaped sign": r"**a** \<b \\<" => r"**a** &lt;b \\<";
        "backslashes": r"<p>a\b \* c\</p>" => r"a\b \\\* c\\";
        "gender marks": "<p>Engineer [H/F] (m/w/d)*</p>" => r"Engineer [H/F] (m/w/d)\*";
    }
}
