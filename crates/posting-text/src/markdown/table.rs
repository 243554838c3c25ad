//! Converts tables, which `CommonMark` lacks: a table of facts becomes a list with one item for
//! each row; a table used for layout is replaced by its content.

use super::inline::{join, lines};
use crate::{
    Budget, Exceeded,
    document::{Block, List, Span, Style, plain},
};

/// A longer cell, in characters, holds prose, so the table is a layout.
const MAX_FACT: usize = 200;

/// A cell: whether it is a header, and its content.
pub(crate) type Cell = (bool, Vec<Block>);

pub(crate) fn to_blocks(mut rows: Vec<Vec<Cell>>, budget: &Budget) -> Result<Vec<Block>, Exceeded> {
    budget.spend(steps(&rows))?;
    rows.retain(|row| row.iter().any(|(_, blocks)| !blocks.is_empty()));
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let facts = columns > 1
        && rows.len() > 1
        && rows
            .iter()
            .flatten()
            .all(|(_, blocks)| match blocks.as_slice() {
                [] => true,
                [Block::Paragraph(spans)] => plain(spans).chars().count() <= MAX_FACT,
                _ => false,
            });
    if !facts {
        let cells = rows.into_iter().flatten();
        return Ok(cells.flat_map(|(_, blocks)| blocks).collect());
    }
    let headed = rows[0].iter().all(|(header, _)| *header);
    let mut rows: Vec<Vec<Vec<Span>>> = rows
        .into_iter()
        .map(|row| {
            row.into_iter()
                .map(|(_, blocks)| one_line(blocks))
                .collect()
        })
        .collect();
    let names = if headed { rows.remove(0) } else { Vec::new() };
    let items = rows
        .into_iter()
        .map(|row| Ok(vec![Block::Paragraph(line(row, &names, budget)?)]))
        .collect::<Result<_, _>>()?;
    Ok(vec![Block::List(List { start: None, items })])
}

/// The steps for reading every cell a few times.
fn steps(rows: &[Vec<Cell>]) -> usize {
    let of_cell = |(_, blocks): &Cell| match blocks.as_slice() {
        [Block::Paragraph(spans)] => spans.iter().map(|span| 8 + 4 * span.text.len()).sum(),
        blocks => blocks.len(),
    };
    rows.iter()
        .flatten()
        .map(|cell| 4 + of_cell(cell))
        .sum::<usize>()
        + rows.len()
}

fn one_line(blocks: Vec<Block>) -> Vec<Span> {
    let mut out = Vec::new();
    for block in blocks {
        if let Block::Paragraph(spans) = block {
            out = join(lines(&spans));
        }
    }
    for span in &mut out {
        span.text = span.text.replace('\n', " ");
    }
    out
}

/// Writes a row as `**Place:** Paris; **Hours:** 35` under a header, as `**Place:** Paris` in two
/// columns, as `a – b – c` otherwise.
fn line(row: Vec<Vec<Span>>, header: &[Vec<Span>], budget: &Budget) -> Result<Vec<Span>, Exceeded> {
    let pair = header.is_empty() && row.len() == 2;
    let mut out: Vec<Span> = Vec::new();
    for (column, mut cell) in row.into_iter().enumerate() {
        if cell.is_empty() {
            continue;
        }
        if !out.is_empty() {
            let separator = match (header.is_empty(), pair) {
                (true, true) => " ",
                (true, false) => " – ",
                (false, _) => "; ",
            };
            out.push(text(separator, false));
        }
        if let Some(label) = header.get(column).filter(|label| !label.is_empty()) {
            // A label is repeated for every cell of its column, so a small table can become a long
            // text.
            let label = labelled(label);
            budget.spend(4 + label.len())?;
            budget.write(label.len())?;
            out.push(text(&label, true));
            out.push(text(" ", false));
        }
        if pair && column == 0 {
            cell = vec![text(&labelled(&cell), true)];
        }
        out.append(&mut cell);
    }
    Ok(out)
}

fn labelled(label: &[Span]) -> String {
    let label = plain(label);
    let label = label.trim_end_matches([':', ' ', '：']);
    format!("{label}:")
}

fn text(text: &str, strong: bool) -> Span {
    Span {
        text: text.to_owned(),
        style: Style {
            strong,
            ..Style::default()
        },
        link: None,
    }
}
