//! Converts tables: one with headers stays a table, facts become a list with one item for each row,
//! and a layout is replaced by its content.

use super::{
    inline::{join, lines},
    tidy::is_bullet,
};
use crate::{
    Budget, Result,
    document::{Block, List, Span, Table, plain, steps_of},
};

/// The longest cell of facts, in characters. A longer cell holds prose, so the table is a layout.
const MAX_FACT: usize = 200;
/// The most columns of a table. A wider table is a layout.
const MAX_COLUMNS: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Cell {
    pub(crate) is_header: bool,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) in_head: bool,
    pub(crate) cells: Vec<Cell>,
}

impl Row {
    fn is_headers(&self) -> bool {
        self.in_head || self.cells.iter().all(|cell| cell.is_header)
    }

    fn filled(&self) -> usize {
        let filled = |cell: &&Cell| !cell.blocks.is_empty();
        self.cells.iter().filter(filled).count()
    }
}

pub(crate) fn to_blocks(mut rows: Vec<Row>, budget: &Budget) -> Result<Vec<Block>> {
    for row in &rows {
        budget.spend(steps(row))?;
    }
    rows.retain(|row| row.filled() > 0);
    let mut out = Vec::new();
    let is_title = rows.len() > 2 && rows[0].cells.len() == 1 && rows[1].is_headers();
    if is_title && rows[1].cells.len() > 1 {
        out.extend(
            rows.remove(0)
                .cells
                .into_iter()
                .flat_map(|cell| cell.blocks),
        );
    }
    if rows.iter().all(|row| item_marker(row).is_some()) {
        out.extend(list(rows).map(Block::List));
        return Ok(out);
    }
    match kind(&rows) {
        Kind::Layout => {
            let cells = rows.into_iter().flat_map(|row| row.cells);
            out.extend(cells.flat_map(|cell| cell.blocks));
        }
        Kind::Facts => out.push(Block::List(facts(rows))),
        Kind::Table { is_headed } => match grid(rows, budget)? {
            Ok(mut rows) => {
                let mut headers = if is_headed {
                    rows.remove(0)
                } else {
                    Vec::new()
                };
                let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
                let columns = columns.max(headers.len());
                for row in rows.iter_mut().chain([&mut headers]) {
                    row.resize_with(columns, Vec::new);
                }
                for span in headers.iter_mut().flatten() {
                    span.style.strong = false;
                }
                out.push(Block::Table(Table { headers, rows }));
            }
            Err(blocks) => out.extend(blocks),
        },
    }
    Ok(out)
}

/// Returns the number in the first of two filled cells, 0 for a bullet. `None` for other rows.
fn item_marker(row: &Row) -> Option<u32> {
    let mut filled = row.cells.iter().filter(|cell| !cell.blocks.is_empty());
    let (Some(marker), Some(_), None) = (filled.next(), filled.next(), filled.next()) else {
        return None;
    };
    let [Block::Paragraph(spans)] = marker.blocks.as_slice() else {
        return None;
    };
    let marker = plain(spans);
    let mut signs = marker.trim().trim_end_matches('\u{fe0f}').chars();
    if let (Some(sign), None) = (signs.next(), signs.next())
        && (is_bullet(sign) || matches!(sign, '-' | '–' | '*' | 'o' | '§' | '+' | '→' | '★'))
    {
        return Some(0);
    }
    let number = marker.trim().strip_suffix(['.', ')'])?;
    number
        .parse()
        .ok()
        .filter(|number| (1..1_000).contains(number))
}

fn list(rows: Vec<Row>) -> Option<List> {
    let first = item_marker(rows.first()?)?;
    let items = rows.into_iter().map(|row| {
        let mut filled = row.cells.into_iter().filter(|cell| !cell.blocks.is_empty());
        filled.nth(1).map(|cell| cell.blocks).unwrap_or_default()
    });
    Some(List {
        start: (first > 0).then_some(first),
        items: items.collect(),
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Layout,
    /// A table in which each row is a short line, or a name and its value.
    Facts,
    /// A table whose cells belong to headers above or before them.
    Table {
        is_headed: bool,
    },
}

fn kind(rows: &[Row]) -> Kind {
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    if columns < 2 || rows.len() < 2 {
        return Kind::Layout;
    }
    let cells = || rows.iter().flat_map(|row| &row.cells);
    if cells().all(|cell| cell.is_header || cell.blocks.iter().all(fits_line)) {
        if rows[0].is_headers() {
            return Kind::Table { is_headed: true };
        }
        let is_named = rows.iter().all(|row| {
            let others = row.cells.iter().skip(1);
            row.cells.first().is_some_and(|cell| cell.is_header)
                && others.clone().all(|cell| !cell.is_header)
        });
        if is_named && columns > 2 {
            return Kind::Table { is_headed: false };
        }
        if is_named && cells().all(|cell| matches!(cell.blocks[..], [] | [Block::Paragraph(_)])) {
            return Kind::Facts;
        }
    }
    let is_fact = |cell: &Cell| match cell.blocks.as_slice() {
        [] => true,
        [Block::Paragraph(spans)] => plain(spans).chars().count() <= MAX_FACT,
        _ => false,
    };
    if cells().all(is_fact) {
        Kind::Facts
    } else {
        Kind::Layout
    }
}

/// Whether a block fits a line of a table. A heading does not: it begins a part of the page.
// Recursion is bounded by the depth that the builder allows.
fn fits_line(block: &Block) -> bool {
    match block {
        Block::Paragraph(_) => true,
        Block::List(list) => list.items.iter().flatten().all(fits_line),
        Block::Quote(blocks) => blocks.iter().all(fits_line),
        Block::Heading(..) | Block::Code(_) | Block::Table(_) | Block::Rule => false,
    }
}

fn steps(row: &Row) -> usize {
    let cells = row.cells.iter();
    let cells = cells.map(|cell| 4 + 4 * steps_of(&cell.blocks));
    1 + cells.sum::<usize>()
}

type Line = Vec<Span>;

/// Puts each cell into its column; covered places stay empty. A table that is too wide is returned
/// as the blocks of its cells.
fn grid(rows: Vec<Row>, budget: &Budget) -> Result<Result<Vec<Vec<Line>>, Vec<Block>>> {
    // For each column, how many rows a cell above still covers.
    let mut covered: Vec<usize> = Vec::new();
    let mut places: Vec<Vec<usize>> = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut at = 0;
        let mut columns = Vec::with_capacity(row.cells.len());
        let mut next = std::mem::take(&mut covered);
        for cell in &row.cells {
            while next.get(at).is_some_and(|rows| *rows > 0) {
                at += 1;
            }
            columns.push(at);
            let end = at + cell.columns.clamp(1, MAX_COLUMNS + 1);
            if end > MAX_COLUMNS {
                let cells = rows.into_iter().flat_map(|row| row.cells);
                return Ok(Err(cells.flat_map(|cell| cell.blocks).collect()));
            }
            next.resize(next.len().max(end), 0);
            next[at..end].fill(cell.rows.max(1));
            at = end;
        }
        budget.spend(1 + next.len())?;
        covered = next
            .into_iter()
            .map(|rows| rows.saturating_sub(1))
            .collect();
        places.push(columns);
    }
    let lines = rows.into_iter().zip(places).map(|(row, columns)| {
        let mut line = Vec::new();
        for (cell, column) in row.cells.into_iter().zip(columns) {
            line.resize_with(column, Vec::new);
            let mut text = Vec::new();
            flatten(cell.blocks, &mut text);
            line.push(text);
        }
        line
    });
    Ok(Ok(lines.collect()))
}

fn flatten(blocks: Vec<Block>, out: &mut Line) {
    for block in blocks {
        match block {
            Block::Paragraph(spans) | Block::Heading(_, spans) => {
                for mut line in lines(spans) {
                    separate(out);
                    out.append(&mut line);
                }
            }
            Block::List(list) => {
                let markers = (0..list.items.len()).map(|index| match list.number(index) {
                    Some(number) => format!("{number}. "),
                    None => "• ".to_owned(),
                });
                let markers: Vec<String> = markers.collect();
                for (item, marker) in list.items.into_iter().zip(markers) {
                    if !out.is_empty() {
                        out.push(Span::plain(" ".to_owned()));
                    }
                    out.push(Span::plain(marker));
                    flatten(item, out);
                }
            }
            Block::Quote(inner) => flatten(inner, out),
            Block::Code(_) | Block::Table(_) | Block::Rule => {}
        }
    }
}

/// Ends a line within a cell with a semicolon, unless it ends with punctuation or white space.
fn separate(out: &mut Line) {
    let Some(last) = out.last() else { return };
    if last.text.ends_with(char::is_whitespace) {
        return;
    }
    let ends = last.text.ends_with([
        '.', ',', ':', ';', '!', '?', '…', '。', '、', '：', '；', '！', '？',
    ]);
    out.push(Span::plain((if ends { " " } else { "; " }).to_owned()));
}

/// Converts rows to a list: `**Place:** Paris` for two columns, otherwise `a – b – c`.
fn facts(rows: Vec<Row>) -> List {
    let items = rows.into_iter().map(|row| {
        let cells = row
            .cells
            .into_iter()
            .map(|cell| match cell.blocks.as_slice() {
                [Block::Paragraph(spans)] => join_line(spans),
                _ => Vec::new(),
            });
        vec![Block::Paragraph(fact(cells.collect()))]
    });
    List {
        start: None,
        items: items.collect(),
    }
}

fn join_line(spans: &[Span]) -> Line {
    let mut out = join(lines(spans.to_vec()));
    for span in &mut out {
        span.text = span.text.replace('\n', " ");
    }
    out
}

fn fact(row: Vec<Line>) -> Line {
    let is_pair = row.len() == 2;
    let mut out: Line = Vec::new();
    for (column, mut cell) in row.into_iter().enumerate() {
        if cell.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(Span::plain((if is_pair { " " } else { " – " }).to_owned()));
        }
        if is_pair && column == 0 {
            let label = plain(&cell);
            let label = label.trim_end_matches([':', ' ', '：']);
            let mut label = Span::plain(format!("{label}:"));
            label.style.strong = true;
            cell = vec![label];
        }
        out.append(&mut cell);
    }
    out
}
