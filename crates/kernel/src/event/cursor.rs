//! Places in the event log.

use std::{fmt, str::FromStr};

/// A place in the event log, just after an event. It is also the event's id.
///
/// Its text has 32 hexadecimal digits, sorts in the log's order, and is opaque to clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cursor {
    /// The number of the event's transaction. If transaction A ends before transaction B locks
    /// rows, the number of A is never higher than that of B. A store with one writer has 0.
    pub transaction: u64,
    /// The event's number, which ascends within a transaction.
    pub sequence: u64,
}

/// Why a text is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a cursor of the events")]
pub struct InvalidCursor;

impl Cursor {
    /// The place before the first event.
    pub const START: Self = Self {
        transaction: 0,
        sequence: 0,
    };

    const DIGITS: usize = 32;
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.transaction, self.sequence)
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != Self::DIGITS || !text.bytes().all(is_digit) {
            return Err(InvalidCursor);
        }
        let (transaction, sequence) = text.split_at(Self::DIGITS / 2);
        // The stores' integers are signed.
        let number = |digits| {
            let number = u64::from_str_radix(digits, 16).ok();
            number.filter(|number| i64::try_from(*number).is_ok())
        };
        Ok(Self {
            transaction: number(transaction).ok_or(InvalidCursor)?,
            sequence: number(sequence).ok_or(InvalidCursor)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_and_sorts_as_the_log_does() {
        const MOST: u64 = i64::MAX as u64;
        let places = [(0, 0), (0, 10), (9, 2), (16, 1), (MOST, MOST)];
        let cursors = places.map(|(transaction, sequence)| Cursor {
            transaction,
            sequence,
        });
        assert!(cursors.is_sorted());
        let texts = cursors.map(|cursor| cursor.to_string());
        assert!(texts.is_sorted());
        assert_eq!(texts[2], "00000000000000090000000000000002");
        for (cursor, text) in cursors.iter().zip(&texts) {
            assert_eq!(text.parse(), Ok(*cursor));
        }
    }

    #[test]
    fn other_texts_are_no_cursors() {
        let others = "|0|latest|0000000000000009000000000000000|\
            000000000000000900000000000000020|0000000000000009000000000000000g|\
            000000000000000900000000000000aA|+000000000000009+000000000000002|\
            00000000-0000-0009-0000-000000000002|80000000000000000000000000000002|\
            00000000000000098000000000000000|é00000000000009000000000000000é";
        for text in others.split('|') {
            assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
        }
    }
}
