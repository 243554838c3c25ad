"""Draws posting.svg, nights.svg and states.svg. Run it in this folder after a change."""

from html import escape
from pathlib import Path

STYLE = """<style>
text { font: 14px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600 } .small { font-size: 12px; fill: #59636e }
.box { fill: #ffffff; stroke: #d1d9e0 } .hidden { fill: #fff1c2 }
.open { fill: #2da44e } .gone { fill: #d1d9e0 } .held { fill: #d4a72c }
</style>"""
AS_PUSHED = """Senior gardener at ⟦Rosenhof⟧

Gardener (m/f/d) at ⟦Rosenhof GmbH⟧

⟦Rosenhof⟧ looks after 40 parks in Bremen.
You plan, plant and prune with a crew of five.

• Full time, 38 hours
• 3,200 € to 3,900 € a month

Questions? Ask ⟦Mara Lindt⟧, ⟦0421 555 0199⟧,
or write to ⟦jobs@rosenhof.example⟧.
Apply at ⟦rosenhof.example⟧"""
AS_SHOWN = """Senior gardener at ⟦[company]⟧

Gardener (m/f/d) at ⟦[company]⟧

⟦[company]⟧ looks after 40 parks in Bremen.
You plan, plant and prune with a crew of five.

• Full time, 38 hours
• 3,200 € to 3,900 € a month

Questions? Ask ⟦[person]⟧, ⟦[phone]⟧,
or write to ⟦[email]⟧.
Apply at ⟦[link]⟧"""
NIGHTS = [
    ("Night 1", "100 lines, complete", [("open", 100)], "100 postings are open."),
    (
        "Night 2",
        "40 lines, the crawl broke",
        [("open", 40), ("held", 60)],
        "60 are missing, more than 30 %: held back, nothing expires.",
    ),
    (
        "Night 3",
        "99 lines, 2 of them new",
        [("open", 99), ("gone", 3)],
        "3 are missing: they expire. The others were never offline.",
    ),
]


def text(x, y, line, kind="", step=7.3):
    """A line, with a mark behind what stands in double brackets."""
    marks, shown, at = [], "", 0
    for part in line.replace("⟧", "⟦").split("⟦"):
        if at % 2:
            marks.append(
                f'<rect class="hidden" x="{x + len(shown) * step - 2:.0f}" y="{y - 13}"'
                f' width="{len(part) * step + 4:.0f}" height="18" rx="3"/>'
            )
        shown, at = shown + part, at + 1
    mono = ' style="font: 12px ui-monospace, monospace"' if marks or kind == "mono" else ""
    return "".join(marks) + f'<text class="{kind}" x="{x}" y="{y}"{mono}>{escape(shown)}</text>'


def svg(name, width, height, parts, title):
    body = "\n".join([STYLE, f'<rect class="box" width="{width}" height="{height}"/>', *parts])
    Path(__file__).with_name(name).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="{escape(title)}">\n{body}\n</svg>\n'
    )


def posting():
    parts = []
    for x, head, lines in [(20, "As pushed", AS_PUSHED), (400, "As readers see it", AS_SHOWN)]:
        parts += [
            f'<rect class="box" x="{x}" y="40" width="360" height="290" rx="6"/>',
            text(x, 28, head, "head"),
        ]
        rows = enumerate(lines.split("\n"))
        parts += [text(x + 12, 64 + 20 * at, line, "mono") for at, line in rows if line]
    svg("posting.svg", 780, 345, parts, "A posting before and after redaction")


def nights():
    parts = []
    for at, (night, source, bars, result) in enumerate(NIGHTS):
        y, x = 20 + at * 80, 230
        parts += [text(20, y + 18, night, "head"), text(20, y + 38, source, "small")]
        for kind, count in bars:
            parts.append(
                f'<rect class="{kind}" x="{x}" y="{y}" width="{count * 5}" height="26" rx="3"/>'
            )
            x += count * 5 + 3
        parts.append(text(230, y + 46, result, "small"))
    svg("nights.svg", 780, 260, parts, "A catalogue's three nights")


STATES = {
    "PendingEnrichment": (40, 90),
    "approved": (320, 30),
    "rejected": (320, 150),
    "expired": (600, 90),
}
# From, to, where the line begins and ends, what moves the posting and where that stands.
MOVES = [
    ((0, 107), (40, 107), "", (0, 0)),
    ((190, 100), (320, 55), "approved", (200, 66)),
    ((190, 115), (320, 165), "rejected", (200, 160)),
    ((365, 64), (365, 150), "judged again", (372, 100)),
    ((405, 150), (405, 64), "", (0, 0)),
    ((470, 47), (600, 98), "you, your catalogue or the lifetime", (500, 40)),
    ((660, 124), (660, 205), "", (0, 0)),
    ((660, 205), (115, 205), "you reopen it, or your catalogue lists it", (260, 222)),
    ((115, 205), (115, 124), "", (0, 0)),
]


def states():
    parts = [
        '<defs><marker id="end" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#59636e"/></marker></defs>'
    ]
    for (x, y), (to_x, to_y), said, (at_x, at_y) in MOVES:
        end = "" if (to_x, to_y) in [(660, 205), (115, 205)] else ' marker-end="url(#end)"'
        line = f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="#59636e"{end}/>'
        parts += [line, text(at_x, at_y, said, "small")]
    for name, (x, y) in STATES.items():
        box = f'<rect class="box" x="{x}" y="{y}" width="150" height="34" rx="6"/>'
        parts += [box, text(x + 14, y + 22, name, "head")]
    svg("states.svg", 780, 240, parts, "The states of a posting")


posting()
nights()
states()
