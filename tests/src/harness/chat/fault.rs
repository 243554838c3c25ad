//! Faults of the stand-in, and the plan of when they occur.

use std::collections::VecDeque;

/// A fault in place of an ordinary answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An error with this status, and with `Retry-After` in seconds if given.
    Answer(u16, Option<u64>),
    /// This status with an HTML page, as from a proxy.
    Page(u16),
    /// No answer, for as long as the client waits.
    Hang,
    /// The connection is closed at once.
    Close,
    /// The connection is closed in the middle of the answer.
    CloseMidway,
    /// The model writes its answer, but the connection is closed before it is sent.
    LoseAnswer,
    /// An answer of the model with a slip.
    Say(Slip),
}

/// A mistake of the model itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// The JSON ends in the middle, at the limit of tokens.
    Truncated,
    /// Polite words before and after the JSON.
    Prose,
    /// The JSON is in a fenced block.
    Fence,
    /// Reasoning before the JSON, with braces.
    Think,
    /// Prose, and no JSON at all.
    NoJson,
    /// An unknown verdict.
    WrongVerdict,
    /// A rejection with an unknown code.
    UnknownCode,
    /// A field is missing.
    MissingField,
    /// A field has another type.
    WrongType,
    /// The model refuses to answer.
    Refusal,
    /// A content filter removed the answer.
    Filtered,
    /// The answer is empty.
    Empty,
    /// The answer has no choices.
    NoChoices,
    /// A kind that does not exist.
    UnknownKind,
    /// A text to hide that is not in the posting.
    InventedPhrase,
    /// An empty text to hide.
    EmptyPhrase,
    /// A text that nobody asked for.
    RewrittenText,
}

/// The names of faults, for the example `chat`.
const NAMES: [(&str, Fault); 26] = [
    ("busy", Fault::Answer(429, Some(5))),
    ("denied", Fault::Answer(401, None)),
    ("bad-request", Fault::Answer(400, None)),
    ("error", Fault::Answer(500, None)),
    ("page", Fault::Page(502)),
    ("hang", Fault::Hang),
    ("close", Fault::Close),
    ("close-midway", Fault::CloseMidway),
    ("lose-answer", Fault::LoseAnswer),
    ("truncated", Fault::Say(Slip::Truncated)),
    ("prose", Fault::Say(Slip::Prose)),
    ("fence", Fault::Say(Slip::Fence)),
    ("think", Fault::Say(Slip::Think)),
    ("no-json", Fault::Say(Slip::NoJson)),
    ("wrong-verdict", Fault::Say(Slip::WrongVerdict)),
    ("unknown-code", Fault::Say(Slip::UnknownCode)),
    ("missing-field", Fault::Say(Slip::MissingField)),
    ("wrong-type", Fault::Say(Slip::WrongType)),
    ("refusal", Fault::Say(Slip::Refusal)),
    ("filtered", Fault::Say(Slip::Filtered)),
    ("empty", Fault::Say(Slip::Empty)),
    ("no-choices", Fault::Say(Slip::NoChoices)),
    ("unknown-kind", Fault::Say(Slip::UnknownKind)),
    ("invented-phrase", Fault::Say(Slip::InventedPhrase)),
    ("empty-phrase", Fault::Say(Slip::EmptyPhrase)),
    ("rewritten-text", Fault::Say(Slip::RewrittenText)),
];

impl Fault {
    /// The fault with this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = NAMES.iter().find(|(other, _)| *other == name);
        found.map(|&(_, fault)| fault)
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|&(name, _)| name)
    }
}

/// A planned fault.
struct Planned {
    fault: Fault,
    /// A text in the title of the posting that the fault is for; `None` for any request.
    title: Option<String>,
}

impl Planned {
    fn is_for(&self, title: Option<&str>) -> bool {
        self.title.as_deref().is_none_or(|marker| {
            let title = title.unwrap_or_default();
            title.contains(marker)
        })
    }
}

/// The planned faults.
#[derive(Default)]
pub struct Plan {
    next: VecDeque<Planned>,
    always: Vec<Planned>,
}

impl Plan {
    pub fn next(&mut self, times: usize, fault: Fault) {
        self.queue(times, fault, None);
    }

    pub fn next_for(&mut self, title: &str, times: usize, fault: Fault) {
        self.queue(times, fault, Some(title));
    }

    fn queue(&mut self, times: usize, fault: Fault, title: Option<&str>) {
        let title = title.map(str::to_owned);
        let planned = || Planned {
            fault,
            title: title.clone(),
        };
        self.next
            .extend(std::iter::repeat_with(planned).take(times));
    }

    pub fn always(&mut self, fault: Option<Fault>) {
        self.stay(fault, None);
    }

    pub fn always_for(&mut self, title: &str, fault: Option<Fault>) {
        self.stay(fault, Some(title));
    }

    fn stay(&mut self, fault: Option<Fault>, title: Option<&str>) {
        self.always.retain(|one| one.title.as_deref() != title);
        let title = title.map(str::to_owned);
        self.always
            .extend(fault.map(|fault| Planned { fault, title }));
    }

    /// The fault for a request about a posting with this title. It is used up unless it is
    /// permanent.
    pub fn take(&mut self, title: Option<&str>) -> Option<Fault> {
        if let Some(stays) = self.always.iter().find(|one| one.is_for(title)) {
            return Some(stays.fault);
        }
        let next = self.next.iter().position(|one| one.is_for(title))?;
        self.next.remove(next).map(|one| one.fault)
    }
}
