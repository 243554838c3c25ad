//! How the stand-in can behave instead of well, and when it does.

use std::collections::VecDeque;

/// What becomes of a request instead of an ordinary answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This status, with `Retry-After` in seconds if there are any.
    Answer(u16, Option<u64>),
    /// This status with a page for people, as a proxy in between answers.
    Page(u16),
    /// Nothing at all, for as long as the client waits.
    Hang,
    /// The connection is closed at once.
    Close,
    /// The connection is closed in the middle of the answer.
    CloseMidway,
    /// The answer is written, and then the connection is closed instead.
    LoseAnswer,
    /// An answer of the model that is not what was asked for.
    Say(Slip),
}

/// What the model itself does badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// The JSON ends in the middle, for want of tokens.
    Truncated,
    /// Polite words before and after the JSON.
    Prose,
    /// The JSON is in a fenced block.
    Fence,
    /// It thinks aloud before the JSON, with braces.
    Think,
    /// Prose, and no JSON at all.
    NoJson,
    /// A verdict that is none.
    WrongVerdict,
    /// A rejection with a code that is none.
    UnknownCode,
    /// A field is not there.
    MissingField,
    /// A field is of another type.
    WrongType,
    /// It refuses to answer.
    Refusal,
    /// A content filter took the answer.
    Filtered,
    /// The answer is empty.
    Empty,
    /// There is no choice in the answer.
    NoChoices,
    /// The text has a link that the description does not have.
    InventedLink,
    /// The text has a link that runs a script.
    DangerousLink,
    /// The text has raw HTML.
    RawHtml,
    /// Of the text only the beginning is there.
    MostMissing,
    /// The redacted text says this, too.
    Leak(&'static str),
}

/// The names of behaviours, for whoever tries them by hand.
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
    ("invented-link", Fault::Say(Slip::InventedLink)),
    ("dangerous-link", Fault::Say(Slip::DangerousLink)),
    ("raw-html", Fault::Say(Slip::RawHtml)),
    ("most-missing", Fault::Say(Slip::MostMissing)),
];

impl Fault {
    /// The behaviour with this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = NAMES.iter().find(|(other, _)| *other == name);
        found.map(|&(_, fault)| fault)
    }

    /// Every name.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|&(name, _)| name)
    }
}

/// A fault that is to come.
struct Planned {
    fault: Fault,
    /// What is in the title of the postings that it waits for; `None` for any request.
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

/// Which requests are to fail.
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

    /// The fault of a request about a posting with this title, which is spent with it unless it
    /// stays.
    pub fn take(&mut self, title: Option<&str>) -> Option<Fault> {
        if let Some(stays) = self.always.iter().find(|one| one.is_for(title)) {
            return Some(stays.fault);
        }
        let next = self.next.iter().position(|one| one.is_for(title))?;
        self.next.remove(next).map(|one| one.fault)
    }
}
