use enrichment::{Draft, DraftError};

use crate::{
    answer::{self, Cause},
    completion::{Complaint, Completion},
    dialect::{Dialect, Step},
    draft,
};

/// Reads an answer. `None` if the body is not an answer of the chat completions API.
pub fn read(body: &[u8]) -> Option<Result<Draft, DraftError>> {
    let completion = Completion::read(body)?;
    match answer::draft(completion.reply) {
        Ok(draft) => Some(Ok(draft)),
        Err(failure) => match failure.cause {
            Cause::Error(error) => Some(Err(error)),
            cause => unreachable!("{cause:?} is no answer"),
        },
    }
}

pub fn draft(text: &str) -> Result<Draft, Vec<String>> {
    draft::read(text)
}

/// Answers every form of a request with the same refusal. Returns the number of forms.
pub fn forms(refusal: &[u8]) -> usize {
    let complaint = Complaint::read(refusal);
    let (mut dialect, mut room, mut forms) = (Dialect::default(), 4_096, 1);
    while let Some(step) = dialect.after(&complaint, room) {
        match step {
            Step::Always(next) => (dialect, room) = (next, next.room(room)),
            Step::Room(left) => room = left,
        }
        forms += 1;
    }
    forms
}
