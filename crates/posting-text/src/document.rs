//! A description as a small document: the reader builds it, redaction edits it, the writer prints
//! it.
//!
//! Inline text is a flat list of styled runs: nested input makes no deep document, and `**Ub**er`
//! reads as one word.

use std::sync::Arc;

use pulldown_cmark::Options;

pub(crate) const DIALECT: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Follows each block in a document's text. Documents never contain it, so no match spans it.
pub(crate) const SEPARATOR: &str = "\n\u{1e}\n";

/// Deeper lists, quotes and tables are merged into their parent.
pub(crate) const MAX_DEPTH: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) blocks: Vec<Block>,
    pub(crate) images: Images,
}

/// The number of images, and of the letters in their words. A document keeps only the words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Images {
    pub(crate) count: usize,
    pub(crate) letters: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Paragraph(Vec<Span>),
    Heading(u8, Vec<Span>),
    List(List),
    Quote(Vec<Block>),
    /// Code, whose spans have no style.
    Code(Vec<Span>),
    Table(Table),
    Rule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) start: Option<u32>,
    pub(crate) items: Vec<Vec<Block>>,
}

impl List {
    pub(crate) fn number(&self, index: usize) -> Option<u32> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        self.start.map(|start| index.saturating_add(start))
    }
}

/// Each row has as many cells as headers; a cell is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) headers: Vec<Vec<Span>>,
    pub(crate) rows: Vec<Vec<Vec<Span>>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
    pub(crate) link: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "marks do not depend on each other"
)]
pub(crate) struct Style {
    pub(crate) strong: bool,
    pub(crate) emphasis: bool,
    pub(crate) code: bool,
    /// Struck through.
    pub(crate) deleted: bool,
}

impl Span {
    pub(crate) fn plain(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    pub(crate) fn with_text(&self, text: &str) -> Self {
        Self {
            text: text.to_owned(),
            style: self.style,
            link: self.link.clone(),
        }
    }
}

impl Document {
    pub(crate) fn steps(&self) -> usize {
        steps_of(&self.blocks)
    }

    /// Returns the text, with [`SEPARATOR`] after each block.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.for_each_text(&mut |spans| {
            text.extend(spans.iter().map(|span| span.text.as_str()));
            text.push_str(SEPARATOR);
        });
        text
    }

    pub(crate) fn for_each_text(&self, visit: &mut impl FnMut(&[Span])) {
        visit_all(&self.blocks, visit);
    }

    pub(crate) fn for_each_text_mut(&mut self, visit: &mut impl FnMut(&mut Vec<Span>)) {
        visit_all_mut(&mut self.blocks, visit);
    }
}

pub(crate) fn steps_of(blocks: &[Block]) -> usize {
    let mut steps = 0;
    visit_all(blocks, &mut |spans| {
        steps += 1 + spans.iter().map(|span| 1 + span.text.len()).sum::<usize>();
    });
    steps
}

pub(crate) fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

// Recursion is bounded: the builder nests blocks at most `MAX_DEPTH` deep.
fn visit_all(blocks: &[Block], visit: &mut impl FnMut(&[Span])) {
    for block in blocks {
        match block {
            Block::Paragraph(spans) | Block::Heading(_, spans) | Block::Code(spans) => visit(spans),
            Block::List(list) => list.items.iter().for_each(|item| visit_all(item, visit)),
            Block::Table(table) => {
                let rows = table.rows.iter().flatten();
                table
                    .headers
                    .iter()
                    .chain(rows)
                    .for_each(|cell| visit(cell));
            }
            Block::Quote(inner) => visit_all(inner, visit),
            Block::Rule => {}
        }
    }
}

fn visit_all_mut(blocks: &mut [Block], visit: &mut impl FnMut(&mut Vec<Span>)) {
    for block in blocks {
        match block {
            Block::Paragraph(spans) | Block::Heading(_, spans) | Block::Code(spans) => visit(spans),
            Block::List(list) => {
                for item in &mut list.items {
                    visit_all_mut(item, visit);
                }
            }
            Block::Table(table) => {
                let rows = table.rows.iter_mut().flatten();
                table.headers.iter_mut().chain(rows).for_each(&mut *visit);
            }
            Block::Quote(inner) => visit_all_mut(inner, visit),
            Block::Rule => {}
        }
    }
}

pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Embeddings, overrides and isolates (Unicode UAX #9). `domain` has the same function, because
/// this crate depends on no other of the workspace.
pub(crate) const fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
