//! A temporary file for input that can be read only once.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt as _,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

const PIECE: usize = 64 << 10;

/// A growing copy of an input. The file has no name, so it disappears with this process.
#[derive(Debug)]
pub struct Spool {
    file: File,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    length: u64,
    end: Option<Result<(), String>>,
}

impl Spool {
    /// Copies the input in a thread that is never joined: a read from a terminal or pipe cannot be
    /// interrupted, but must not keep the program running.
    pub fn start(mut input: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        let spool = Arc::new(Self {
            file: tempfile::tempfile()?,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let copy = Arc::clone(&spool);
        thread::spawn(move || {
            let end = copy.fill(&mut input);
            copy.state().end = Some(end);
            copy.changed.notify_all();
        });
        Ok(spool)
    }

    pub fn complete(file: File, length: u64) -> Arc<Self> {
        let end = Some(Ok(()));
        Arc::new(Self {
            file,
            state: Mutex::new(State { length, end }),
            changed: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fill(&self, input: &mut impl Read) -> Result<(), String> {
        let (mut piece, mut length) = (vec![0; PIECE], 0);
        loop {
            let read = match input.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.to_string()),
            };
            let written = piece.get(..read).unwrap_or_default();
            let written = self.file.write_all_at(written, length);
            written.map_err(|error| format!("it cannot be kept in a temporary file: {error}"))?;
            length += read as u64;
            self.state().length = length;
            self.changed.notify_all();
        }
    }

    pub fn length(&self) -> Option<u64> {
        let state = self.state();
        state.end.as_ref().map(|_| state.length)
    }
}

pub struct SpoolReader {
    pub spool: Arc<Spool>,
    pub offset: u64,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.spool.state();
        while self.offset == state.length {
            match &state.end {
                Some(Ok(())) => return Ok(0),
                Some(Err(reason)) => return Err(io::Error::other(reason.clone())),
                None => {
                    let woken = self.spool.changed.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        drop(state);
        let read = self.spool.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Write as _, pipe};

    use super::*;

    #[test]
    fn what_arrives_is_read_by_everyone_while_it_arrives() {
        let (input, mut output) = pipe().unwrap();
        let spool = Spool::start(input).unwrap();
        let open = || SpoolReader {
            spool: Arc::clone(&spool),
            offset: 0,
        };
        let (mut one, mut first) = (open(), [0; 3]);
        output.write_all(b"one").unwrap();
        one.read_exact(&mut first).unwrap();
        assert_eq!((&first, spool.length()), (b"one", None));
        output.write_all(b"two").unwrap();
        drop(output);
        for (mut reader, expect) in [(one, "two"), (open(), "onetwo")] {
            let mut rest = String::new();
            reader.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, expect);
        }
        assert_eq!(spool.length(), Some(6));
    }
}
