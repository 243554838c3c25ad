//! Builds a [`Document`] from starts and ends of blocks, however badly they are nested. Nothing
//! recurses and every call is cheap.

use super::{
    inline::{Inline, collapse, join, lines},
    table::{self, Cell, Row},
};
use crate::{
    Budget, Exceeded, Result,
    document::{Block, Document, Images, List, MAX_DEPTH, Span},
};

#[derive(Debug)]
enum Frame {
    /// True if no tag has opened it.
    List(List, bool),
    Item(Vec<Block>),
    Quote(Vec<Block>),
    Table(Vec<Row>),
    Cell(Cell),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Paragraph,
    Heading(u8),
    Code,
    /// Keeps line ends and spaces: code, unless some of it is marked or a link.
    Preformatted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    List,
    Quote,
    Table,
}

#[derive(Debug)]
pub(crate) struct Builder<'a> {
    budget: &'a Budget,
    exceeded: Option<Exceeded>,
    root: Vec<Block>,
    frames: Vec<Frame>,
    /// Open containers beyond the depth limit, which have no frame.
    ignored: usize,
    depth: usize,
    inline: Inline,
    kind: Kind,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self {
            budget,
            exceeded: None,
            root: Vec::new(),
            frames: Vec::new(),
            ignored: 0,
            depth: 0,
            inline: Inline::default(),
            kind: Kind::Paragraph,
        }
    }

    pub(crate) fn inline(&mut self) -> &mut Inline {
        &mut self.inline
    }

    pub(crate) fn at_root(&self) -> bool {
        matches!(self.frames.as_slice(), [] | [Frame::List(_, true)])
    }

    pub(crate) fn keeps_spaces(&self) -> bool {
        matches!(self.kind, Kind::Code | Kind::Preformatted)
    }

    pub(crate) fn boundary(&mut self, kind: Kind) {
        if self.inline.is_empty() {
            self.kind = kind;
            return;
        }
        match self.kind {
            Kind::Paragraph => {
                for paragraph in self.inline.take() {
                    self.push(Block::Paragraph(paragraph));
                }
            }
            Kind::Heading(level) => {
                let block = heading(level, self.inline.take());
                self.push(block);
            }
            Kind::Preformatted if self.inline.is_marked() => {
                for mut paragraph in self.inline.take() {
                    collapse(&mut paragraph);
                    self.push(Block::Paragraph(join(lines(paragraph))));
                }
            }
            Kind::Code | Kind::Preformatted => {
                let text = self.inline.take_verbatim();
                if !text.is_empty() {
                    self.push(Block::Code(vec![Span::plain(text)]));
                }
            }
        }
        self.kind = kind;
    }

    pub(crate) fn rule(&mut self) {
        self.boundary(Kind::Paragraph);
        if self.at_root() {
            self.push(Block::Rule);
        }
    }

    pub(crate) fn open_list(&mut self, start: Option<u32>) {
        let items = Vec::new();
        self.open(Frame::List(List { start, items }, false));
    }

    pub(crate) fn open_quote(&mut self) {
        self.open(Frame::Quote(Vec::new()));
    }

    pub(crate) fn open_table(&mut self) {
        self.open(Frame::Table(Vec::new()));
    }

    /// Opens an item, and a list if there is none.
    pub(crate) fn open_item(&mut self) {
        self.boundary(Kind::Paragraph);
        if self.ignored > 0 {
            return;
        }
        self.close_item();
        if !matches!(self.frames.last(), Some(Frame::List(..))) {
            let (start, items) = (None, Vec::new());
            self.open(Frame::List(List { start, items }, true));
            if self.ignored > 0 {
                self.ignored -= 1;
                return;
            }
        }
        self.frames.push(Frame::Item(Vec::new()));
    }

    pub(crate) fn close_item(&mut self) {
        self.boundary(Kind::Paragraph);
        if self.ignored == 0 && matches!(self.frames.last(), Some(Frame::Item(_))) {
            self.pop();
        }
    }

    pub(crate) fn open_row(&mut self, in_head: bool) {
        self.boundary(Kind::Paragraph);
        if self.ignored == 0 {
            self.close_cell();
            if let Some(Frame::Table(rows)) = self.frames.last_mut() {
                rows.push(Row {
                    in_head,
                    ..Row::default()
                });
            }
        }
    }

    pub(crate) fn open_cell(&mut self, cell: Cell) {
        self.boundary(Kind::Paragraph);
        if self.ignored == 0 {
            self.close_cell();
            if matches!(self.frames.last(), Some(Frame::Table(_))) {
                self.frames.push(Frame::Cell(cell));
            }
        }
    }

    /// Closes the cell and everything that is open in it.
    pub(crate) fn close_cell(&mut self) {
        self.boundary(Kind::Paragraph);
        if self.ignored > 0 {
            return;
        }
        let cell = self
            .frames
            .iter()
            .rposition(|frame| matches!(frame, Frame::Cell(..) | Frame::Table(_)));
        if let Some(at) = cell
            && matches!(self.frames[at], Frame::Cell(..))
        {
            self.close_from(at);
        }
    }

    fn close_from(&mut self, at: usize) {
        while self.frames.len() > at {
            self.pop();
        }
    }

    pub(crate) fn close(&mut self, container: Container) {
        self.boundary(Kind::Paragraph);
        if self.ignored > 0 {
            self.ignored -= 1;
            return;
        }
        // An end tag inside a cell closes nothing outside it.
        let matching = |frame: &Frame| match frame {
            Frame::List(..) => container == Container::List,
            Frame::Quote(_) => container == Container::Quote,
            Frame::Table(_) => container == Container::Table,
            Frame::Item(_) | Frame::Cell(..) => false,
        };
        let wall =
            |frame: &Frame| matches!(frame, Frame::Cell(..)) && container != Container::Table;
        let found = self
            .frames
            .iter()
            .rposition(|frame| matching(frame) || wall(frame));
        if let Some(at) = found
            && matching(&self.frames[at])
        {
            self.close_from(at);
        }
    }

    pub(crate) fn finish(mut self, images: Images) -> Result<Document> {
        self.boundary(Kind::Paragraph);
        self.close_from(0);
        match self.exceeded {
            Some(exceeded) => Err(exceeded),
            None => Ok(Document {
                blocks: self.root,
                images,
            }),
        }
    }

    fn open(&mut self, frame: Frame) {
        self.boundary(Kind::Paragraph);
        if self.ignored > 0 || self.depth >= MAX_DEPTH {
            self.ignored += 1;
            return;
        }
        let is_list = matches!(frame, Frame::List(..));
        if !is_list && matches!(self.frames.last(), Some(Frame::List(_, true))) {
            self.pop();
        }
        // `<ul><ul>`: the inner list belongs to the item before it.
        if let Some(Frame::List(list, _)) = self.frames.last_mut() {
            let reopened = list.items.pop().unwrap_or_default();
            self.frames.push(Frame::Item(reopened));
        }
        self.depth += 1;
        self.frames.push(frame);
    }

    fn pop(&mut self) {
        match self.frames.pop() {
            None => {}
            Some(Frame::List(list, _)) => {
                self.depth -= 1;
                if !list.items.is_empty() {
                    self.push(Block::List(list));
                }
            }
            Some(Frame::Item(blocks)) => {
                if let (false, Some(Frame::List(list, _))) =
                    (blocks.is_empty(), self.frames.last_mut())
                {
                    list.items.push(blocks);
                }
            }
            Some(Frame::Quote(blocks)) => {
                self.depth -= 1;
                if !blocks.is_empty() {
                    self.push(Block::Quote(blocks));
                }
            }
            Some(Frame::Table(rows)) => {
                self.depth -= 1;
                match table::to_blocks(rows, self.budget) {
                    Ok(blocks) => blocks.into_iter().for_each(|block| self.push(block)),
                    Err(exceeded) => self.exceeded = Some(exceeded),
                }
            }
            Some(Frame::Cell(cell)) => {
                if let Some(Frame::Table(rows)) = self.frames.last_mut() {
                    if rows.is_empty() {
                        rows.push(Row::default());
                    }
                    if let Some(row) = rows.last_mut() {
                        row.cells.push(cell);
                    }
                }
            }
        }
    }

    fn push(&mut self, block: Block) {
        match self.frames.last_mut() {
            None => self.root.push(block),
            Some(Frame::Item(blocks) | Frame::Quote(blocks) | Frame::Cell(Cell { blocks, .. })) => {
                blocks.push(block);
            }
            Some(Frame::List(_, true)) if !matches!(block, Block::List(_)) => {
                self.pop();
                self.push(block);
            }
            // Content between the items of a list, or between the rows of a table.
            Some(Frame::List(list, _)) => match (list.items.last_mut(), &block) {
                (Some(item), Block::List(_)) => item.push(block),
                _ => list.items.push(vec![block]),
            },
            Some(Frame::Table(rows)) => rows.push(Row {
                cells: vec![Cell {
                    blocks: vec![block],
                    ..Cell::default()
                }],
                ..Row::default()
            }),
        }
    }
}

fn heading(level: u8, paragraphs: Vec<Vec<Span>>) -> Block {
    let mut spans: Vec<Span> = Vec::new();
    for mut paragraph in paragraphs {
        if let Some(last) = spans.last_mut() {
            last.text.push(' ');
        }
        spans.append(&mut paragraph);
    }
    for span in &mut spans {
        span.text = span.text.replace('\n', " ");
        span.style.strong = false;
    }
    Block::Heading(level, spans)
}
