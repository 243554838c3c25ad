//! Writes log lines in a separate thread, so that callers never wait.
//!
//! Lines wait in a bounded queue. If the queue is full, further lines are dropped, and a line
//! reports their number.

use std::{
    io::{self, Write},
    mem,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
    time::{Duration, Instant},
};

use tracing_subscriber::fmt::MakeWriter;

/// The length of the queue in lines.
const QUEUE: usize = 16_384;

const CHUNK: usize = 64 * 1024;

/// The pause after each chunk. Waking the thread for each line would cost a fifth of the processor
/// time of a push that changes nothing.
const REST: Duration = Duration::from_millis(5);

/// How long [`LogWriter::flush_all`] waits for a reader that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(2);

static WRITER: OnceLock<LogWriter> = OnceLock::new();

enum Message {
    Line(Vec<u8>),
    Flush(SyncSender<()>),
}

pub fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.flush_all();
    }
}

#[derive(Clone, Debug)]
pub struct LogWriter {
    queue: SyncSender<Message>,
    lost: Arc<AtomicU64>,
}

impl LogWriter {
    pub fn start(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, messages) = mpsc::sync_channel(QUEUE);
        let lost = Arc::<AtomicU64>::default();
        let counted = Arc::clone(&lost);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all(&messages, &counted, out))?;
        Ok(Self { queue, lost })
    }

    /// Makes this the process's writer, unless the process has one already. Returns the process's
    /// writer.
    pub fn of_process(self) -> Self {
        WRITER.get_or_init(|| self).clone()
    }

    /// Waits for a bounded time until everything logged so far is written.
    pub fn flush_all(&self) {
        let (done, flushed) = mpsc::sync_channel(1);
        let deadline = Instant::now() + PATIENCE;
        let mut flush = Message::Flush(done);
        while let Err(TrySendError::Full(refused)) = self.queue.try_send(flush) {
            if Instant::now() >= deadline {
                return;
            }
            flush = refused;
            thread::sleep(RETRY);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let _ = flushed.recv_timeout(left);
    }

    fn send(&self, line: Vec<u8>) {
        if let Err(TrySendError::Full(_)) = self.queue.try_send(Message::Line(line)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A closed standard error must not stop the service, so failures are ignored.
fn write_all(messages: &Receiver<Message>, lost: &AtomicU64, mut out: impl Write) {
    let mut chunk = Vec::with_capacity(CHUNK);
    while let Ok(first) = messages.recv() {
        let mut next = Some(first);
        while let Some(message) = next {
            let flushed = match message {
                Message::Line(line) => {
                    chunk.extend(line);
                    None
                }
                Message::Flush(flushed) => Some(flushed),
            };
            if chunk.len() >= CHUNK || flushed.is_some() {
                write(&mut out, &mut chunk);
            }
            if let Some(flushed) = flushed {
                let _ = flushed.try_send(());
            }
            next = messages.try_recv().ok();
        }
        let dropped = lost.swap(0, Ordering::Relaxed);
        write(&mut out, &mut chunk);
        if dropped > 0 {
            // This line has the format of all other lines, for readers of JSON.
            tracing::warn!(
                dropped,
                "standard error is read too slowly: lines were lost"
            );
        }
        thread::sleep(REST);
    }
}

fn write(out: &mut impl Write, chunk: &mut Vec<u8>) {
    if !chunk.is_empty() {
        let _ = out.write_all(chunk).and_then(|()| out.flush());
        chunk.clear();
    }
}

pub struct Line<'a> {
    writer: &'a LogWriter,
    bytes: Vec<u8>,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        self.writer.send(mem::take(&mut self.bytes));
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line {
            writer: self,
            bytes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Keeps the written bytes, but only once its lock is free.
    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn log(writer: &LogWriter, text: &str) {
        writer.make_writer().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn lines_are_written_in_order_and_all_before_a_flush_returns() {
        let out = Slow::default();
        let writer = LogWriter::start(out.clone()).unwrap();
        let lines: Vec<_> = (0..5_000).map(|n| format!("line {n}\n")).collect();
        for line in &lines {
            log(&writer, line);
        }
        writer.flush_all();
        let written = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        assert_eq!(written, lines.concat());
    }

    #[test]
    fn a_reader_that_takes_nothing_blocks_no_writer() {
        let out = Slow::default();
        let writer = LogWriter::start(out.clone()).unwrap();
        let blocked = out.0.lock().unwrap();
        for _ in 0..3 * QUEUE {
            log(&writer, "a line\n");
        }
        let lost = writer.lost.load(Ordering::Relaxed);
        assert!(lost > 0, "{lost}");
        drop(blocked);
        writer.flush_all();
        assert!(!out.0.lock().unwrap().is_empty());
    }
}
