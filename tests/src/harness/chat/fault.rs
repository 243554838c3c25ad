//! Slips of the stand-in, and the plan of when they occur.

/// A mistake of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// The JSON ends in the middle, at the limit of tokens.
    Truncated,
    /// Prose, and no JSON at all.
    NoJson,
    /// A field is missing.
    MissingField,
    /// The answer is empty.
    Empty,
}

/// A planned slip.
struct Planned {
    slip: Slip,
    /// A text in the title of the posting that the slip is for.
    title: String,
    /// How often it occurs; `None` until it is taken back.
    times: Option<usize>,
}

/// The planned slips.
#[derive(Default)]
pub struct Plan(Vec<Planned>);

impl Plan {
    /// Plans a slip, so many times or until it is taken back.
    pub fn add(&mut self, title: &str, slip: Slip, times: Option<usize>) {
        let title = title.to_owned();
        self.0.push(Planned { slip, title, times });
    }

    /// Takes back what is planned for postings with this in their title.
    pub fn clear(&mut self, title: &str) {
        self.0.retain(|one| one.title != title);
    }

    /// The slip for a request about a posting with this title.
    pub fn take(&mut self, title: &str) -> Option<Slip> {
        let next = self.0.iter_mut().find(|one| {
            let is_left = one.times != Some(0);
            is_left && title.contains(&one.title)
        })?;
        next.times = next.times.map(|times| times - 1);
        Some(next.slip)
    }
}
