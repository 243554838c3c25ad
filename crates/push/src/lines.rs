//! Splits an input into lines: lines of text, objects that are spread over several lines, or items
//! of a JSON array. Invalid JSON is passed on as well.

use std::{
    cell::Cell,
    io::{self, BufRead},
    ops::ControlFlow,
    rc::Rc,
};

use cli::input::LineReader;
use fields::body::Nesting;

/// The longest line in bytes. The limit bounds memory; services accept far less.
const LONGEST_LINE: usize = 64 << 20;

#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The number of the line, or of the item of an array, from 1.
    pub number: u64,
    /// The line without surrounding white space and line breaks.
    pub text: &'a [u8],
    /// The number of bytes read from the file so far, before decompression.
    pub position: u64,
}

pub(crate) struct Lines<F> {
    each: F,
    position: Rc<Cell<u64>>,
    number: u64,
}

impl<F: FnMut(Line<'_>) -> ControlFlow<()>> Lines<F> {
    pub(crate) const fn new(each: F, position: Rc<Cell<u64>>) -> Self {
        Self {
            each,
            position,
            number: 0,
        }
    }

    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    fn add(&mut self, text: &[u8]) -> bool {
        self.number += 1;
        let line = Line {
            number: self.number,
            text: text.trim_ascii(),
            position: self.position.get(),
        };
        (self.each)(line).is_continue()
    }

    pub(crate) fn read(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut lines = LineReader::new(input, LONGEST_LINE);
        let (mut text, mut spread) = (Vec::new(), Spread::default());
        while lines.append_line(&mut text)? {
            if lines.is_cut || spread.text.len() > LONGEST_LINE {
                let problem = format!("the next one is longer than {LONGEST_LINE} bytes");
                return Err(io::Error::other(problem));
            }
            let is_part = spread.take(&text);
            if (!is_part || spread.is_complete()) && !self.add_spread(&mut spread) {
                return Ok(());
            }
            // The line may begin another object.
            if !is_part && !spread.take(&text) && !self.add(&text) {
                return Ok(());
            }
            text.clear();
        }
        self.add_spread(&mut spread);
        Ok(())
    }

    /// Passes on an object that is spread over lines: as one line, then blank lines, so that line
    /// numbers are unchanged.
    fn add_spread(&mut self, spread: &mut Spread) -> bool {
        let Spread { text, lines, .. } = std::mem::take(spread);
        (0..lines).all(|nth| self.add(if nth == 0 { &text } else { b"" }))
    }

    pub(crate) fn read_array(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut items = Items::default();
        loop {
            let piece = input.fill_buf()?;
            if piece.is_empty() {
                return items.finish();
            }
            for byte in piece {
                if let Some(item) = items.take(*byte)?
                    && !self.add(&item)
                {
                    return Ok(());
                }
            }
            let length = piece.len();
            input.consume(length);
        }
    }
}

/// An object with one member per line, as pretty printers write it.
#[derive(Default)]
struct Spread {
    text: Vec<u8>,
    lines: usize,
    nesting: Nesting,
}

impl Spread {
    /// Takes a line if it belongs to the object. Only the first line begins with a brace.
    fn take(&mut self, line: &[u8]) -> bool {
        let is_part = if self.lines == 0 {
            line.trim_ascii_end() == b"{"
        } else {
            !line.starts_with(b"{")
        };
        if is_part {
            for byte in line {
                self.nesting.pass(*byte);
            }
            self.nesting.pass_line_end();
            self.text.extend(line.trim_ascii());
            self.text.push(b' ');
            self.lines += 1;
        }
        is_part
    }

    const fn is_complete(&self) -> bool {
        self.lines > 0 && self.nesting.is_outside()
    }
}

#[derive(Default)]
struct Items {
    place: Place,
    nesting: Nesting,
    item: Vec<u8>,
}

#[derive(Default, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Inside,
    Behind,
}

impl Items {
    fn take(&mut self, byte: u8) -> io::Result<Option<Vec<u8>>> {
        match self.place {
            _ if self.item.is_empty() && byte.is_ascii_whitespace() => return Ok(None),
            Place::Before => {
                // `detect` has seen the bracket.
                self.place = Place::Inside;
                return Ok(None);
            }
            Place::Behind => return Err(io::Error::other("something follows the array")),
            Place::Inside => {}
        }
        if self.nesting.is_outside() {
            let is_complete = self.item.trim_ascii_end().ends_with(b"}");
            let next = match byte {
                b']' => {
                    self.place = Place::Behind;
                    None
                }
                b',' => None,
                // The comma between the items is missing.
                b'{' if is_complete => Some(byte),
                _ => return self.keep(byte).map(|()| None),
            };
            let item = std::mem::take(&mut self.item);
            next.map_or(Ok(()), |byte| self.keep(byte))?;
            return Ok((!item.is_empty()).then_some(item));
        }
        self.keep(byte)?;
        Ok(if byte == b':' && self.nesting.is_in_string() {
            self.cut()
        } else {
            None
        })
    }

    fn keep(&mut self, byte: u8) -> io::Result<()> {
        if self.item.len() == LONGEST_LINE {
            let problem = format!("the next item is longer than {LONGEST_LINE} bytes");
            return Err(io::Error::other(problem));
        }
        self.nesting.pass(byte);
        // Outside of strings a line break is a space. Strings cannot contain one.
        let is_break = matches!(byte, b'\n' | b'\r');
        self.item.push(if is_break { b' ' } else { byte });
        Ok(())
    }

    /// Ends the item if the next one seems to begin inside a string: an extra quotation mark has
    /// swapped inside and outside. In an intact string the quotation marks would be escaped.
    fn cut(&mut self) -> Option<Vec<u8>> {
        let text = self.item.strip_suffix(b":")?.trim_ascii_end();
        let names = [&b"\"id\""[..], b"\"payload\""];
        let text = names.iter().find_map(|name| text.strip_suffix(*name))?;
        let start = text.trim_ascii_end().strip_suffix(b"{")?;
        let before = start.trim_ascii_end().strip_suffix(b",")?.trim_ascii_end();
        let end = before.ends_with(b"}").then_some(before.len())?;
        let next = self.item.split_off(start.len());
        self.item.truncate(end);
        self.nesting = Nesting::default();
        for byte in &next {
            self.nesting.pass(*byte);
        }
        Some(std::mem::replace(&mut self.item, next))
    }

    fn finish(self) -> io::Result<()> {
        if self.place == Place::Behind {
            return Ok(());
        }
        Err(io::Error::other("it ends before its array does"))
    }
}
