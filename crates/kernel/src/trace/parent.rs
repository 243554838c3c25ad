//! A trace's context, as in the header `traceparent`.

use std::{fmt, str::FromStr};

/// The length of the header's value in version `00`.
const LENGTH: usize = 55;

/// A place in a trace: trace, span, and whether it is recorded. W3C Trace Context, version `00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace: u128,
    span: u64,
    is_sampled: bool,
}

/// Why a text is no context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not 00-<32 hexadecimal digits>-<16 hexadecimal digits>-<2 hexadecimal digits>")]
pub struct InvalidTraceParent;

impl TraceParent {
    /// A context of these ids; `None` if an id is zero, which is invalid.
    pub const fn new(trace: u128, span: u64, is_sampled: bool) -> Option<Self> {
        if trace == 0 || span == 0 {
            return None;
        }
        Some(Self {
            trace,
            span,
            is_sampled,
        })
    }

    /// The id of the trace.
    pub const fn trace(self) -> u128 {
        self.trace
    }

    /// The id of the span.
    pub const fn span(self) -> u64 {
        self.span
    }

    /// Whether the trace is recorded.
    pub const fn is_sampled(self) -> bool {
        self.is_sampled
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.is_sampled);
        write!(f, "00-{:032x}-{:016x}-{flags:02x}", self.trace, self.span)
    }
}

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    /// Reads a value of any version, as specified: later versions may have more after the flags,
    /// and other flags are ignored.
    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        let (known, rest) = text.split_at_checked(LENGTH).ok_or(InvalidTraceParent)?;
        let mut parts = known.split('-');
        let mut part = |length| {
            let part = parts.next().filter(|part| part.len() == length);
            part.filter(|part| part.bytes().all(is_digit))
                .ok_or(InvalidTraceParent)
        };
        let (version, trace, span, flags) = (part(2)?, part(32)?, part(16)?, part(2)?);
        let is_known = match version {
            "ff" => false,
            "00" => rest.is_empty(),
            _ => rest.is_empty() || rest.starts_with('-'),
        };
        let trace = u128::from_str_radix(trace, 16).map_err(|_| InvalidTraceParent)?;
        let span = u64::from_str_radix(span, 16).map_err(|_| InvalidTraceParent)?;
        let flags = u8::from_str_radix(flags, 16).map_err(|_| InvalidTraceParent)?;
        let context = Self::new(trace, span, flags & 1 == 1);
        context.filter(|_| is_known).ok_or(InvalidTraceParent)
    }
}

/// Whether a byte is a lower-case hexadecimal digit, as specified.
const fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_context_is_written_as_it_was_read() {
        let unsampled = SAMPLED.replace("-01", "-00");
        for text in [SAMPLED, &unsampled] {
            let context: TraceParent = text.parse().unwrap();
            assert_eq!(context.to_string(), text);
            assert_eq!(context.trace(), 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
            assert_eq!(context.span(), 0x00f0_67aa_0ba9_02b7);
            assert_eq!(context.is_sampled(), text == SAMPLED);
        }
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        for text in [
            SAMPLED.replacen("00", "01", 1),
            SAMPLED.replacen("00", "cc", 1) + "-what-the-future-brings",
            SAMPLED.replace("-01", "-03"),
        ] {
            let context: TraceParent = text.parse().unwrap();
            assert_eq!(context.to_string(), SAMPLED, "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_context() {
        for text in [
            "",
            "00",
            &SAMPLED[..54],
            &format!("{SAMPLED}-"),
            &format!("{SAMPLED}0"),
            &SAMPLED.to_uppercase(),
            &SAMPLED.replacen("00", "ff", 1),
            &SAMPLED.replacen("00", "01", 1).replace("-01", "-01x"),
            &SAMPLED.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &SAMPLED.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &SAMPLED.replace("4bf9", "+bf9"),
            &SAMPLED.replace("4bf92f", "4bf-2f"),
            &SAMPLED.replace("4bf9", "é9f"),
        ] {
            let read: Result<TraceParent, _> = text.parse();
            assert_eq!(read, Err(InvalidTraceParent), "{text}");
        }
    }
}
