//! How HTML elements are converted.

#[test]
fn html() {
    cases! {
        "empty": "" => "";
        "paragraphs": "<p>One</p>\n<p>Two</p>" => "One\n\nTwo";
        "a wrapped source line": "<p>One\n   two</p>" => "One two";
        "line break": "<p>One<br>\nTwo<br/>Three</p>" => "One\\\nTwo\\\nThree";
        "two line breaks part paragraphs": "<p>One<br><br/>Two</p>" => "One\n\nTwo";
        "no break at the ends": "<p><br>One<br></p>" => "One";
        "headings": "<h1>A</h1><h2><b>B</b></h2><h6>F</h6>" => "# A\n\n## B\n\n###### F";
        "a heading that ends in a sign": "<h2>Coding in C#</h2>" => "## Coding in C\\#";
        "an empty heading": "<h2> &nbsp;</h2><p>x</p>" => "x";
        "rule": "<p>a</p><hr><hr><p>b</p><hr>" => "a\n\n---\n\nb";
        "quote": "<blockquote><p>a</p><p>b</p></blockquote>" => "> a\n>\n> b";
        "entities": "<p>R&amp;D &eacute;&nbsp;&#8211; 5 &lt; 6</p>" => "R&D é – 5 < 6";
        "a fragment that starts within": "text</p><p>more</p></div>" => "text\n\nmore";
        "unclosed paragraphs": "<p>a<p>b<li>c" => "a\n\nb\n\n- c";
        "a definition list": "<dl><dt>Pay</dt><dd>Good</dd></dl>" => "**Pay**\n\nGood";
        "code": "<pre><code>if a:\n    b()</code></pre>" => "```\nif a:\n    b()\n```";
        "marked words in preformatted text":
            "<pre>Ask <b>Ann</b>  or  <code>  bob</code>.\nSoon \n<b>please</b></pre>"
            => "Ask **Ann** or `bob`.\\\nSoon\\\n**please**";
        "marked words in a code block":
            "<pre><code>a  <b>b</b>  c \n  d</code></pre>" => "```\na  b  c\n  d\n```";
        "inline code": "<p>Use <code>a`b</code>.</p>" => "Use ``a`b``.";
    }
}

#[test]
fn lists() {
    cases! {
        "list": "<ul><li>a</li><li>b</li></ul>" => "- a\n- b";
        "paragraphs in items": "<ul><li><p>a</p></li><li><p>b</p></li></ul>" => "- a\n- b";
        "ordered": "<ol start=\"3\"><li>a</li><li>b</li></ol>" => "3. a\n4. b";
        "a start that is no number": "<ol start='x'><li>a</li></ol>" => "1. a";
        "nested":
            "<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li>d</li></ul>"
            => "- a\n  1. b\n     - c\n- d";
        "nested beside the item": "<ul><li>a</li><ul><li>b</li></ul></ul>" => "- a\n  - b";
        "unclosed items": "<ul><li>a<li>b</ul>c" => "- a\n- b\n\nc";
        "empty items": "<ul><li></li><li>a</li><li> </li></ul>" => "- a";
        "a list typed into an item":
            "<ul><li>Lead by:\n  * asking\n  * listening</li><li>b</li></ul>"
            => "- Lead by:\n  - asking\n  - listening\n- b";
        "a list typed into a paragraph":
            "<p>Tasks\n1. ask\n2. listen</p>" => "Tasks\n\n1. ask\n2. listen";
        "a wrapped line that starts with a dash":
            "<p>from nine\n- or ten - to five</p>" => "from nine - or ten - to five";
        "two paragraphs in an item": "<ul><li>a<p>b</p></li></ul>" => "- a\n\n  b";
        "a heading in an item": "<ul><li><h3>a</h3></li></ul>" => "- **a**";
        "bullets typed into items": "<ul><li>• a</li><li>· b</li></ul>" => "- a\n- b";
        "bullets in a paragraph": "<p>We offer:<br>• a<br>•b</p>" => "We offer:\n\n- a\n- b";
        "a paragraph for each bullet": "<p>·  a</p><p>·  b</p><p>c</p>" => "- a\n- b\n\nc";
        "numbers in a paragraph": "<p>1. a<br>2. b</p>" => "1. a\n2. b";
        "a year is no number of a list": "<p>1999. A year.</p>" => "1999\\. A year.";
    }
}

#[test]
fn lists_in_a_row() {
    cases! {
        "a list cut in two": "<ul><li>a</li></ul><ul><li>b</li></ul>" => "- a\n- b";
        "numbers that go on": "<ol><li>a</li></ol><ol start=2><li>b</li></ol>" => "1. a\n2. b";
        "two lists of bullets in a row":
            "<ul><li>a<li>b</ul><ul><li>c<li>d</ul>" => "- a\n- b\n\n* c\n* d";
        "two lists in a row": "<ol><li>a</li></ol><ol><li>b</li></ol>" => "1. a\n\n1) b";
    }
}

#[test]
fn inline_markup() {
    cases! {
        "strong": "<p><b>a</b> <strong>b</strong></p>" => "**a b**";
        "emphasis": "<p>an <em>odd</em> one</p>" => "an _odd_ one";
        "emphasis within a word": "<p>un<i>believ</i>able</p>" => "un*believ*able";
        "both": "<p><b><i>a</i></b></p>" => "**_a_**";
        "strong and then emphasis": "<p><b>a</b><i>b</i></p>" => "**a**b";
        "spaces inside": "<p><b> a </b>b</p>" => "**a** b";
        "a colon that would not close": "<p><b>Pay:</b>good</p>" => "**Pay**:good";
        "a bracket that would not open": "<p>a<b>(b)</b></p>" => "a(**b)**";
        "nothing in it": "<p>a<b></b><i> </i><b>:</b>b</p>" => "a :b";
        "over line breaks": "<p><b>a<br>b</b></p>" => "**a\\\nb**";
        "misnested": "<p><b>a<i>b</b>c</i></p>" => "**ab**c";
        "around paragraphs": "<b><p>a</p><p>b</p></b>" => "**a**\n\n**b**";
    }
}

#[test]
fn links_and_images() {
    cases! {
        "an exclamation mark before a link whose text begins with a bracket":
            "<p>!<a href='https://a.no'>[</a></p>" => r"\![\[](https://a.no)";
        "what would be an address by itself":
            "<p>Write to &lt;1-|@acme.no&gt;</p>" => "Write to &lt;1-|@acme.no>";
        "link": "<a href='https://e.org/a'>here</a>" => "[here](https://e.org/a)";
        "mail": "<a href='mailto:a@e.org'>us</a>" => "[us](mailto:a@e.org)";
        "relative": "<a href='/jobs'>jobs</a>" => "jobs";
        "other schemes":
            "<a href='javascript:alert(1)'>a</a><a href='data:text/html,x'>b</a>" => "ab";
        "a scheme in disguise": "<a href=' java\nscript:alert(1)'>a</a>" => "a";
        "a telephone link": "<a href='tel:123'>call</a>" => "call";
        "a destination with signs":
            "<a href='https://e.org/a b(c)<d>'>x</a>" => "[x](https://e.org/a%20b%28c%29%3Cd%3E)";
        "brackets in the text": "<a href='https://e.org'>[H/F]</a>" => r"[\[H/F\]](https://e.org)";
        "no text": "a <a href='https://e.org'><img src=x></a> b" => "a b";
        "strong link": "<b><a href='https://e.org'>x</a></b>" => "[**x**](https://e.org)";
        "strong in part of a link":
            "<a href='https://e.org'>a <b>b</b></a>" => "[a **b**](https://e.org)";
        "strong across a link":
            "<b>a <a href='https://e.org'>b</b> c</a>" => "**a** [**b** c](https://e.org)";
        "an exclamation before a link":
            "Go!<a href='https://e.org'>x</a>" => r"Go\![x](https://e.org)";
        "an image that says something":
            "<p><img alt='Great place to work'></p>" => "Great place to work";
        "an image that does not":
            "<p>a<img alt='logo'><img alt='team photo.png'><img alt='prize_2025 (1)'></p>" => "a";
    }
}

#[test]
fn dropped() {
    cases! {
        "script": "a<script>if (a<b) '</p>'</script>b" => "ab";
        "style": "<style>p{}</style><p style='color:red' onclick='x()'>a</p>" => "a";
        "comment": "a<!-- <b>x</b> -->b" => "ab";
        "frame": "<p>a</p><iframe src='https://e.org'>x</iframe>" => "a";
        "a frame that never ends keeps the text": "<iframe src=x><p>a</p>" => "a";
        "controls but not the form's text":
            "<form>a<select><option>x</select><button>Go</button></form>" => "a";
        "conditional comments": "<!--[if mso]><p>x</p><![endif]--><p>a</p>" => "a";
        "word processor": "<p>a<o:p></o:p></p><?xml:namespace prefix='o' />" => "a";
    }
}
