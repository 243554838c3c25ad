//! The request's side of an import: submits lines while there is room, and collects receipts.

use std::{collections::VecDeque, iter::Peekable, sync::Arc, vec::IntoIter};

use async_trait::async_trait;
use domain::{
    import::{Ending, Line, Receipt, Summary},
    usecase::{Import, ImportError, IngestError},
};
use kernel::Prefixes;
use tokio::sync::{mpsc, oneshot};

use super::parse::{Taken, size};

/// The limits of lines without a receipt: their number and bytes. A line with more bytes than the
/// limit is submitted only while no other line waits for its receipt.
pub(super) const MOST_LINES: usize = 2_048;
pub(super) const MOST_BYTES: usize = 8 << 20;

/// The largest number of lines that a thread parses at a time, in about a millisecond.
pub(super) const PARSED_TOGETHER: usize = 64;

pub(super) enum Order {
    Lines(Taken),
    Finish(Ending, Reply),
}

pub(super) enum Event {
    Receipts(Vec<Receipt>),
    /// The import takes no more lines. Lines that it has taken get receipts.
    Ended(ImportError),
}

pub(super) type Reply = oneshot::Sender<(Summary, Result<(), ImportError>)>;
pub(super) struct Running {
    orders: mpsc::UnboundedSender<Order>,
    events: mpsc::UnboundedReceiver<Event>,
    open: VecDeque<(u64, usize)>,
    bytes: usize,
    prefixes: Arc<Prefixes>,
    ended: Option<ImportError>,
}

impl Running {
    pub fn new(
        orders: mpsc::UnboundedSender<Order>,
        events: mpsc::UnboundedReceiver<Event>,
    ) -> Self {
        Self {
            orders,
            events,
            open: VecDeque::new(),
            bytes: 0,
            prefixes: Arc::new(Prefixes::ALL),
            ended: None,
        }
    }

    fn has_room(&self, line: &Line) -> bool {
        self.open.is_empty()
            || self.open.len() < MOST_LINES && self.bytes + size(line) <= MOST_BYTES
    }

    fn submit(&mut self, lines: &mut Peekable<IntoIter<Line>>) {
        loop {
            let mut taken = Vec::new();
            while taken.len() < PARSED_TOGETHER
                && let Some(line) = lines.next_if(|line| self.has_room(line))
            {
                self.bytes += size(&line);
                self.open.push_back((line.number, size(&line)));
                taken.push(line);
            }
            if taken.is_empty() {
                return;
            }
            // If the task is gone, its event channel is closed.
            let _ = self.orders.send(Order::Lines(Taken {
                lines: taken,
                prefixes: Arc::clone(&self.prefixes),
            }));
        }
    }

    fn note(&mut self, event: Event, receipts: &mut Vec<Receipt>) {
        match event {
            Event::Receipts(more) => {
                for _ in &more {
                    let size = self.open.pop_front().map_or(0, |(_, size)| size);
                    self.bytes -= size;
                }
                receipts.extend(more);
            }
            Event::Ended(error) => self.ended = Some(error),
        }
    }

    async fn wait(&mut self, receipts: &mut Vec<Receipt>) {
        match self.events.recv().await {
            Some(event) => self.note(event, receipts),
            None => self.fail(receipts),
        }
    }

    fn fail(&mut self, receipts: &mut Vec<Receipt>) {
        let error = IngestError::Broken("the task of the import ended".to_owned());
        self.bytes = 0;
        let open = self.open.drain(..);
        receipts.extend(open.map(|(line, _)| Receipt {
            line,
            id: None,
            result: Err(error.clone().into()),
        }));
        self.ended.get_or_insert_with(|| error.into());
    }

    async fn wait_for_all(&mut self, receipts: &mut Vec<Receipt>) {
        while !self.open.is_empty() {
            self.wait(receipts).await;
        }
    }

    fn result(&self) -> Result<(), ImportError> {
        self.ended.clone().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl Import for Running {
    async fn take(
        &mut self,
        lines: Vec<Line>,
        prefixes: &Prefixes,
        receipts: &mut Vec<Receipt>,
    ) -> Result<(), ImportError> {
        self.result()?;
        if *self.prefixes != *prefixes {
            self.prefixes = Arc::new(prefixes.clone());
        }
        let mut lines = lines.into_iter().peekable();
        loop {
            self.submit(&mut lines);
            if lines.peek().is_none() {
                break;
            }
            self.wait(receipts).await;
        }
        while let Ok(event) = self.events.try_recv() {
            self.note(event, receipts);
        }
        if self.ended.is_some() {
            self.wait_for_all(receipts).await;
        }
        self.result()
    }

    async fn settle(&mut self, receipts: &mut Vec<Receipt>) -> Result<(), ImportError> {
        self.wait_for_all(receipts).await;
        self.result()
    }

    async fn finish(self: Box<Self>, ending: Ending) -> (Summary, Result<(), ImportError>) {
        let (reply, ended) = oneshot::channel();
        let _ = self.orders.send(Order::Finish(ending, reply));
        let ended = ended.await;
        ended.unwrap_or_else(|_| {
            let error = IngestError::Broken("the task of the import ended".to_owned());
            (Summary::default(), Err(error.into()))
        })
    }
}
