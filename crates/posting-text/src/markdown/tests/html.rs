//! How HTML elements are converted.

use super::check;

#[test]
fn html() {
    check("empty", "", "");
    check("paragraphs", "<p>One</p>\n<p>Two</p>", "One\n\nTwo");
    check("a wrapped source line", "<p>One\n   two</p>", "One two");
    check(
        "line break",
        "<p>One<br>\nTwo<br/>Three</p>",
        "One\\\nTwo\\\nThree",
    );
    check(
        "two line breaks part paragraphs",
        "<p>One<br><br/>Two</p>",
        "One\n\nTwo",
    );
    check("no break at the ends", "<p><br>One<br></p>", "One");
    check(
        "headings",
        "<h1>A</h1><h2><b>B</b></h2><h6>F</h6>",
        "# A\n\n## B\n\n###### F",
    );
    check(
        "a heading that ends in a sign",
        "<h2>Coding in C#</h2>",
        "## Coding in C\\#",
    );
    check("an empty heading", "<h2> &nbsp;</h2><p>x</p>", "x");
    check("rule", "<p>a</p><hr><hr><p>b</p><hr>", "a\n\n---\n\nb");
    check(
        "quote",
        "<blockquote><p>a</p><p>b</p></blockquote>",
        "> a\n>\n> b",
    );
    check(
        "entities",
        "<p>R&amp;D &eacute;&nbsp;&#8211; 5 &lt; 6</p>",
        "R&D é – 5 < 6",
    );
    check(
        "a fragment that starts within",
        "text</p><p>more</p></div>",
        "text\n\nmore",
    );
    check("unclosed paragraphs", "<p>a<p>b<li>c", "a\n\nb\n\n- c");
    check(
        "a definition list",
        "<dl><dt>Pay</dt><dd>Good</dd></dl>",
        "**Pay**\n\nGood",
    );
    check(
        "code",
        "<pre><code>if a:\n    b()</code></pre>",
        "```\nif a:\n    b()\n```",
    );
    check(
        "marked words in preformatted text",
        "<pre>Ask <b>Ann</b>  or  <code>  bob</code>.\nSoon \n<b>please</b></pre>",
        "Ask **Ann** or `bob`.\\\nSoon\\\n**please**",
    );
    check(
        "marked words in a code block",
        "<pre><code>a  <b>b</b>  c \n  d</code></pre>",
        "```\na  b  c\n  d\n```",
    );
    check(
        "inline code",
        "<p>Use <code>a`b</code>.</p>",
        "Use ``a`b``.",
    );
}

#[test]
fn lists() {
    check("list", "<ul><li>a</li><li>b</li></ul>", "- a\n- b");
    check(
        "paragraphs in items",
        "<ul><li><p>a</p></li><li><p>b</p></li></ul>",
        "- a\n- b",
    );
    check(
        "ordered",
        "<ol start=\"3\"><li>a</li><li>b</li></ol>",
        "3. a\n4. b",
    );
    check(
        "a start that is no number",
        "<ol start='x'><li>a</li></ol>",
        "1. a",
    );
    check(
        "nested",
        "<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>",
        "- a\n  1. b\n     - c\n- d",
    );
    check(
        "nested beside the item",
        "<ul><li>a</li><ul><li>b</li></ul></ul>",
        "- a\n  - b",
    );
    check("unclosed items", "<ul><li>a<li>b</ul>c", "- a\n- b\n\nc");
    check(
        "empty items",
        "<ul><li></li><li>a</li><li> </li></ul>",
        "- a",
    );
    check(
        "a list typed into an item",
        "<ul><li>Lead by:\n  * asking\n  * listening</li><li>b</li></ul>",
        "- Lead by:\n  - asking\n  - listening\n- b",
    );
    check(
        "a list typed into a paragraph",
        "<p>Tasks\n1. ask\n2. listen</p>",
        "Tasks\n\n1. ask\n2. listen",
    );
    check(
        "a wrapped line that starts with a dash",
        "<p>from nine\n- or ten - to five</p>",
        "from nine - or ten - to five",
    );
    check(
        "two paragraphs in an item",
        "<ul><li>a<p>b</p></li></ul>",
        "- a\n\n  b",
    );
    check(
        "a heading in an item",
        "<ul><li><h3>a</h3></li></ul>",
        "- **a**",
    );
    check(
        "bullets typed into items",
        "<ul><li>• a</li><li>· b</li></ul>",
        "- a\n- b",
    );
    check(
        "bullets in a paragraph",
        "<p>We offer:<br>• a<br>•b</p>",
        "We offer:\n\n- a\n- b",
    );
    check(
        "a paragraph for each bullet",
        "<p>·  a</p><p>·  b</p><p>c</p>",
        "- a\n- b\n\nc",
    );
    check(
        "numbers in a paragraph",
        "<p>1. a<br>2. b</p>",
        "1. a\n2. b",
    );
    check(
        "a year is no number of a list",
        "<p>1999. A year.</p>",
        "1999\\. A year.",
    );
}

#[test]
fn lists_in_a_row() {
    check(
        "a list cut in two",
        "<ul><li>a</li></ul><ul><li>b</li></ul>",
        "- a\n- b",
    );
    check(
        "numbers that go on",
        "<ol><li>a</li></ol><ol start=2><li>b</li></ol>",
        "1. a\n2. b",
    );
    check(
        "two lists of bullets in a row",
        "<ul><li>a<li>b</ul><ul><li>c<li>d</ul>",
        "- a\n- b\n\n* c\n* d",
    );
    check(
        "two lists in a row",
        "<ol><li>a</li></ol><ol><li>b</li></ol>",
        "1. a\n\n1) b",
    );
}

#[test]
fn inline_markup() {
    check("strong", "<p><b>a</b> <strong>b</strong></p>", "**a b**");
    check("emphasis", "<p>an <em>odd</em> one</p>", "an _odd_ one");
    check(
        "emphasis within a word",
        "<p>un<i>believ</i>able</p>",
        "un*believ*able",
    );
    check("both", "<p><b><i>a</i></b></p>", "**_a_**");
    check(
        "strong and then emphasis",
        "<p><b>a</b><i>b</i></p>",
        "**a**b",
    );
    check("spaces inside", "<p><b> a </b>b</p>", "**a** b");
    check(
        "a colon that would not close",
        "<p><b>Pay:</b>good</p>",
        "**Pay**:good",
    );
    check(
        "a bracket that would not open",
        "<p>a<b>(b)</b></p>",
        "a(**b)**",
    );
    check("nothing in it", "<p>a<b></b><i> </i><b>:</b>b</p>", "a :b");
    check("over line breaks", "<p><b>a<br>b</b></p>", "**a\\\nb**");
    check("misnested", "<p><b>a<i>b</b>c</i></p>", "**ab**c");
    check(
        "around paragraphs",
        "<b><p>a</p><p>b</p></b>",
        "**a**\n\n**b**",
    );
}

#[test]
fn links_and_images() {
    check(
        "an exclamation mark before a link whose text begins with a bracket",
        "<p>!<a href='https://a.no'>[</a></p>",
        r"\![\[](https://a.no)",
    );
    check(
        "what would be an address by itself",
        "<p>Write to &lt;1-|@acme.no&gt;</p>",
        "Write to &lt;1-|@acme.no>",
    );
    check(
        "link",
        "<a href='https://e.org/a'>here</a>",
        "[here](https://e.org/a)",
    );
    check(
        "mail",
        "<a href='mailto:a@e.org'>us</a>",
        "[us](mailto:a@e.org)",
    );
    check("relative", "<a href='/jobs'>jobs</a>", "jobs");
    check(
        "other schemes",
        "<a href='javascript:alert(1)'>a</a><a href='data:text/html,x'>b</a>",
        "ab",
    );
    check(
        "a scheme in disguise",
        "<a href=' java\nscript:alert(1)'>a</a>",
        "a",
    );
    check("a telephone link", "<a href='tel:123'>call</a>", "call");
    check(
        "a destination with signs",
        "<a href='https://e.org/a b(c)<d>'>x</a>",
        "[x](https://e.org/a%20b%28c%29%3Cd%3E)",
    );
    check(
        "brackets in the text",
        "<a href='https://e.org'>[H/F]</a>",
        r"[\[H/F\]](https://e.org)",
    );
    check(
        "no text",
        "a <a href='https://e.org'><img src=x></a> b",
        "a b",
    );
    check(
        "strong link",
        "<b><a href='https://e.org'>x</a></b>",
        "[**x**](https://e.org)",
    );
    check(
        "strong in part of a link",
        "<a href='https://e.org'>a <b>b</b></a>",
        "[a **b**](https://e.org)",
    );
    check(
        "strong across a link",
        "<b>a <a href='https://e.org'>b</b> c</a>",
        "**a** [**b** c](https://e.org)",
    );
    check(
        "an exclamation before a link",
        "Go!<a href='https://e.org'>x</a>",
        r"Go\![x](https://e.org)",
    );
    check(
        "an image that says something",
        "<p><img alt='Great place to work'></p>",
        "Great place to work",
    );
    check(
        "an image that does not",
        "<p>a<img alt='logo'><img alt='team photo.png'><img alt='prize_2025 (1)'></p>",
        "a",
    );
}

#[test]
fn dropped() {
    check("script", "a<script>if (a<b) '</p>'</script>b", "ab");
    check(
        "style",
        "<style>p{}</style><p style='color:red' onclick='x()'>a</p>",
        "a",
    );
    check("comment", "a<!-- <b>x</b> -->b", "ab");
    check(
        "frame",
        "<p>a</p><iframe src='https://e.org'>x</iframe>",
        "a",
    );
    check(
        "a frame that never ends keeps the text",
        "<iframe src=x><p>a</p>",
        "a",
    );
    check(
        "controls but not the form's text",
        "<form>a<select><option>x</select><button>Go</button></form>",
        "a",
    );
    check(
        "conditional comments",
        "<!--[if mso]><p>x</p><![endif]--><p>a</p>",
        "a",
    );
    check(
        "word processor",
        "<p>a<o:p></o:p></p><?xml:namespace prefix='o' />",
        "a",
    );
}
