//! Reads the elements of one JSON array, each as the text of one line, in flat memory.

use std::io::{self, BufRead, ErrorKind};

use serde_json::value::RawValue;

/// Reads the elements of an array.
#[derive(Debug)]
pub struct ArrayReader<R> {
    input: R,
    /// The longest element in bytes.
    pub longest: usize,
    /// The element's number, from 1.
    pub number: u64,
    /// Whether it is too long, and was not kept.
    pub is_cut: bool,
    is_closed: bool,
}

impl<R: BufRead> ArrayReader<R> {
    /// A reader of an input that begins with the array.
    pub const fn new(input: R, longest: usize) -> Self {
        Self {
            input,
            longest,
            number: 0,
            is_cut: false,
            is_closed: false,
        }
    }

    /// Appends the next element to a buffer, without line breaks. Returns whether there was one.
    pub fn append_element(&mut self, buffer: &mut Vec<u8>) -> io::Result<bool> {
        if self.is_closed {
            return Ok(false);
        }
        if self.number == 0 {
            self.delimiter(b"[")?;
            if self.skip_space()? == Some(b']') {
                return self.close();
            }
        } else if self.delimiter(b",]")? == b']' {
            return self.close();
        }
        self.skip_space()?;
        self.number += 1;
        let start = buffer.len();
        self.append_text(buffer)?;
        let element = buffer.get(start..).unwrap_or_default();
        if self.is_cut {
            buffer.truncate(start);
        } else if serde_json::from_slice::<&RawValue>(element).is_err() {
            return Err(broken(format!("its element {} is no JSON", self.number)));
        }
        Ok(true)
    }

    /// Appends all up to the comma or bracket that ends the element, which are left.
    fn append_text(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let (start, mut depth) = (buffer.len(), 0_u64);
        let (mut in_string, mut is_escaped) = (false, false);
        self.is_cut = false;
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                return Err(cut_short());
            }
            let mut used = 0;
            let mut is_whole = false;
            for byte in available {
                match byte {
                    b'\n' | b'\r' if in_string => {
                        let number = self.number;
                        return Err(broken(format!("its element {number} is no JSON")));
                    }
                    _ if is_escaped => is_escaped = false,
                    b'\\' if in_string => is_escaped = true,
                    b'"' => in_string = !in_string,
                    _ if in_string => {}
                    b'{' | b'[' => depth += 1,
                    b',' | b']' if depth == 0 => {
                        is_whole = true;
                        break;
                    }
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                used += 1;
                if !self.is_cut {
                    // Outside of strings a line break is a space like any other.
                    let is_break = matches!(byte, b'\n' | b'\r');
                    buffer.push(if is_break { b' ' } else { *byte });
                    self.is_cut = buffer.len() - start > self.longest;
                }
            }
            self.input.consume(used);
            if is_whole {
                return Ok(());
            }
        }
    }

    fn close(&mut self) -> io::Result<bool> {
        if self.number == 0 {
            self.delimiter(b"]")?;
        }
        self.is_closed = true;
        match self.skip_space()? {
            None => Ok(false),
            Some(_) => Err(broken("something follows the JSON array".to_owned())),
        }
    }

    /// Consumes one of these bytes, which is next.
    fn delimiter(&mut self, expect: &[u8]) -> io::Result<u8> {
        match self.skip_space()? {
            Some(byte) if expect.contains(&byte) => {
                self.input.consume(1);
                Ok(byte)
            }
            Some(_) => Err(broken(format!(
                "after element {} of the JSON array there is no comma",
                self.number
            ))),
            None => Err(cut_short()),
        }
    }

    /// Skips white space, and returns the byte behind it.
    fn skip_space(&mut self) -> io::Result<Option<u8>> {
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                return Ok(None);
            }
            let spaces = available
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let next = available.get(spaces).copied();
            self.input.consume(spaces);
            if next.is_some() {
                return Ok(next);
            }
        }
    }
}

fn broken(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

fn cut_short() -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, "the JSON array is not closed")
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read(text: &str) -> (Vec<String>, Option<String>) {
        // A small buffer, so that elements are longer than it.
        let input = BufReader::with_capacity(3, text.as_bytes());
        let mut reader = ArrayReader::new(input, 60);
        let mut elements = Vec::new();
        loop {
            let mut buffer = Vec::new();
            match reader.append_element(&mut buffer) {
                Ok(true) if reader.is_cut => elements.push(format!("{}: cut", reader.number)),
                Ok(true) => elements.push(String::from_utf8(buffer).unwrap()),
                Ok(false) => return (elements, None),
                Err(error) => return (elements, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn elements_are_lines_that_keep_their_spelling() {
        let text =
            " [\n  {\"id\": \"a,]\\\"[\",\r\n   \"payload\": {\"n\": [1.50, {}]}},\n7 , \"x\"] \n";
        let expect = [
            "{\"id\": \"a,]\\\"[\",     \"payload\": {\"n\": [1.50, {}]}}",
            "7 ",
            "\"x\"",
        ];
        let (elements, error) = read(text);
        assert_eq!(
            (elements.as_slice(), error),
            (&expect.map(str::to_owned)[..], None)
        );
        for empty in ["[]", "[ \n] "] {
            assert_eq!(read(empty), (Vec::new(), None));
        }
    }

    #[test]
    fn an_element_that_is_too_long_is_skipped() {
        let text = format!("[1, \"{}\", 3]", "x".repeat(100));
        assert_eq!(
            read(&text),
            (
                vec!["1".to_owned(), "2: cut".to_owned(), "3".to_owned()],
                None
            )
        );
    }

    #[test]
    fn an_array_that_is_no_json_ends_with_an_error() {
        for (text, before, expect) in [
            ("[1, {\"a\":]}, 2]", 1, "its element 2 is no JSON"),
            ("[1,]", 1, "its element 2 is no JSON"),
            ("[\"a\nb\"]", 0, "its element 1 is no JSON"),
            ("[1", 0, "the JSON array is not closed"),
            ("[1,", 1, "the JSON array is not closed"),
            ("[", 0, "the JSON array is not closed"),
            ("[1 2]", 0, "its element 1 is no JSON"),
            ("[1] [2]", 1, "something follows the JSON array"),
        ] {
            let (elements, error) = read(text);
            assert_eq!(
                (elements.len(), error.as_deref()),
                (before, Some(expect)),
                "{text}"
            );
        }
    }
}
