//! The cascade: which declarations of style sheets and attributes count for an element.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use html5gum::StartTag;

use super::{
    attributes::{Declaration, Order, attribute, declarations},
    look::{Look, pixels},
};
use crate::pattern::patterns;

patterns! {
    SHEET = r#"(?is)<style(?:[^>]*?media\s*=\s*["']?([^"'>]*))?[^>]*>(.*?)</style"#;
    COMMENT = r"(?s)/\*.*?(?:\*/|$)|<!--|-->";
    PART = r#"^(?:\*|[\w-]*)(?:[.#][\w-]+|\[[\w-]+(?:=["']?[\w-]*["']?)?\])*$"#;
    SIGN = r"^[\w-]+|[.#][\w-]+|\[[^\]]+\]";
}

/// Further rules with the same last sign do not count, and no further parts.
const MAX: usize = 64;
/// Nor do further declarations of a rule, and parts with more signs.
const MAX_STYLE: usize = 32;
const MAX_SIGNS: usize = 8;

/// The rules of a document's own style sheets.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    /// By the last sign.
    rules: HashMap<String, Vec<Rule>>,
    count: usize,
    /// The parts before the last ones: `.a` of `.a .b`.
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Rule {
    part: Part,
    order: Order,
    style: Rc<[Declaration]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// What an element must have: `p`, `.a`, `#a`, `[a]`, `[a=b]`.
    signs: Vec<String>,
    /// The part of an element around it, and whether only of the next.
    before: Option<(usize, bool)>,
}

impl StyleSheet {
    pub(super) fn of(html: &str) -> Self {
        let mut sheet = Self::default();
        for found in SHEET.captures_iter(html) {
            if found.get(1).is_none_or(|media| is_screen(media.as_str())) {
                sheet.read(&COMMENT.replace_all(&found[2], ""));
            }
        }
        sheet
    }

    /// The most that each element costs.
    pub(super) fn steps(&self) -> usize {
        MAX_SIGNS * (self.count.min(MAX) + self.parts.len())
    }

    fn read(&mut self, css: &str) {
        let mut rest = css;
        // Open blocks that do not count.
        let mut skipped = 0_usize;
        while let Some(at) = rest.find(['{', '}', ';']) {
            let (selectors, block) = (rest[..at].trim(), &rest[at..]);
            rest = &block[1..];
            if block.starts_with('}') {
                skipped = skipped.saturating_sub(1);
            } else if block.starts_with('{') && selectors.starts_with('@') {
                let counts = selectors.strip_prefix("@media").is_some_and(is_screen);
                skipped += usize::from(skipped > 0 || !counts);
            } else if block.starts_with('{') {
                let style;
                (style, rest) = rest.split_once('}').unwrap_or((rest, ""));
                let style: Rc<_> = declarations(style).take(MAX_STYLE).collect();
                for selector in selectors.split(',').filter(|_| skipped == 0) {
                    self.add(selector, &style);
                }
            }
        }
    }

    /// Adds a rule; `None` if its selector is not understood.
    fn add(&mut self, selector: &str, style: &Rc<[Declaration]>) -> Option<()> {
        let mut last: Option<Part> = None;
        let mut weight = 0;
        let mut is_next = false;
        for word in selector.replace('>', " > ").split_whitespace() {
            if word == ">" {
                is_next = true;
                continue;
            }
            let before = match last.take() {
                Some(part) => Some((self.index(part)?, is_next)),
                None => None,
            };
            let part = Part::read(word, before)?;
            weight += part.weight();
            (last, is_next) = (Some(part), false);
        }
        let part = last?;
        self.count += 1;
        let key = part.signs.last().cloned().unwrap_or_default();
        let rules = self.rules.entry(key).or_default();
        let (order, style) = ((weight, self.count), Rc::clone(style));
        (rules.len() < MAX).then(|| rules.push(Rule { part, order, style }))
    }

    fn index(&mut self, part: Part) -> Option<usize> {
        let known = self.parts.iter().position(|known| *known == part);
        if known.is_none() && self.parts.len() < MAX {
            self.parts.push(part);
            return Some(self.parts.len() - 1);
        }
        known
    }

    pub(super) fn look(&self, name: &str, start: &StartTag<()>, around: Look) -> Look {
        let is_look = |name: &[u8]| matches!(name, b"style" | b"hidden" | b"color" | b"bgcolor");
        let is_plain = name != "dialog" && !start.attributes.keys().any(|name| is_look(name));
        if is_plain && self.count == 0 {
            return around;
        }
        let own = attribute(start, "style").unwrap_or_default();
        let own: Vec<_> = declarations(&own).collect();
        let hints = (!is_plain).then(|| hints(name, start));
        let hints: Vec<_> = declarations(&hints.unwrap_or_default()).collect();
        let signs = match self.count {
            0 => HashSet::new(),
            _ => signs(name, start),
        };
        let matches = |part: &Part| part.is_in(&signs, around);
        let rules = signs.iter().filter_map(|sign| self.rules.get(sign));
        let rules = rules.flatten().filter(|rule| matches(&rule.part));
        let rules = rules.map(|rule| (rule.order, &*rule.style));
        let styles = rules.chain([((0, 0), &*hints), ((usize::MAX, 0), &*own)]);
        let declared = styles.flat_map(|(order, style)| style.iter().map(move |it| (order, it)));
        let mut declared: Vec<_> = declared.collect();
        declared.sort_by_key(|(order, (.., is_important))| (*is_important, *order));
        let mut look = around.with(&declared);
        let parts = self.parts.iter().enumerate();
        look.here = parts.fold(0, |here, (at, part)| here | u64::from(matches(part)) << at);
        look.seen |= look.here;
        look
    }
}

impl Part {
    fn read(text: &str, before: Option<(usize, bool)>) -> Option<Self> {
        let signs = SIGN.find_iter(text).take(MAX_SIGNS + 1);
        let signs = signs.map(|sign| sign.as_str().replace(['"', '\''], ""));
        let signs: Vec<_> = signs.collect();
        (PART.is_match(text) && signs.len() <= MAX_SIGNS).then_some(Self { signs, before })
    }

    /// How much the part counts against others (CSS Selectors Level 4, 17).
    fn weight(&self) -> usize {
        let weights = self.signs.iter().map(|sign| match sign.as_bytes() {
            [b'#', ..] => 1 << 20,
            [b'.' | b'[', ..] => 1 << 10,
            _ => 1,
        });
        weights.sum()
    }

    fn is_in(&self, signs: &HashSet<String>, around: Look) -> bool {
        let is_around = |(part, is_next)| {
            let parts = if is_next { around.here } else { around.seen };
            parts >> part & 1 == 1
        };
        self.before.is_none_or(is_around) && self.signs.iter().all(|sign| signs.contains(sign))
    }
}

/// What an element's name and attributes say, weaker than any style.
fn hints(name: &str, start: &StartTag<()>) -> String {
    let is_closed = name == "dialog" && attribute(start, "open").is_none();
    let is_hidden = is_closed || attribute(start, "hidden").is_some();
    let display = if is_hidden { "none" } else { "" };
    let of = |name| attribute(start, name).unwrap_or_default();
    let (color, background) = (of("color"), of("bgcolor"));
    format!("display:{display};color:{color};background:{background}")
}

fn signs(name: &str, start: &StartTag<()>) -> HashSet<String> {
    let mut signs = HashSet::from([name.to_owned(), String::new()]);
    for (name, value) in &start.attributes {
        let name = String::from_utf8_lossy(name);
        let value = String::from_utf8_lossy(value);
        match &*name {
            "class" => signs.extend(value.split_whitespace().map(|class| format!(".{class}"))),
            "id" => signs.extend([format!("#{value}")]),
            _ => {}
        }
        signs.extend([format!("[{name}]"), format!("[{name}={value}]")]);
    }
    signs
}

/// Whether a usual screen is one of these media.
fn is_screen(media: &str) -> bool {
    const WIDTH: f64 = 1_280.0;
    let holds = |part: &str| match part.trim().trim_matches(['(', ')']).split_once(':') {
        None => matches!(part.trim(), "" | "all" | "screen" | "only screen"),
        Some(("min-width", width)) => pixels(width).is_some_and(|width| width <= WIDTH),
        Some(("max-width", width)) => pixels(width).is_some_and(|width| width >= WIDTH),
        Some(_) => false,
    };
    let media = media.to_ascii_lowercase();
    let mut queries = media.split(',');
    queries.any(|query| query.split(" and ").all(holds))
}
