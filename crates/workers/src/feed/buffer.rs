use std::{cmp::Ordering, collections::VecDeque, time::Duration};

use domain::posting::event::JOB_POSTING_ERASED;
use kernel::event::{Cursor, LogPage, LogQuery, RecordedEvent, Subject};
use tokio::time::Instant;

const MOST: usize = 4_096;
const LARGEST: usize = 4 << 20;
/// How long the buffer is served after the log was read. Erasures must take effect in ten seconds.
const READABLE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Buffer {
    read_at: Instant,
    /// The first event comes directly after this cursor.
    base: Cursor,
    end: Cursor,
    events: VecDeque<RecordedEvent>,
    bytes: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Page(LogPage),
    /// There is no wanted event up to this cursor.
    Nothing(Cursor),
    /// The cursor is after the end of the buffer.
    Ahead,
    /// The cursor is before the buffer, or the buffer is outdated.
    Outside,
}

impl Buffer {
    pub const fn end(&self) -> Cursor {
        self.end
    }

    pub fn at(place: Cursor) -> Self {
        Self {
            read_at: Instant::now(),
            base: place,
            end: place,
            events: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Appends a page. Drops the oldest events if there are too many.
    pub fn append(&mut self, page: LogPage) {
        self.read_at = Instant::now();
        self.end = page.next;
        for event in page.events {
            if event.event.name == JOB_POSTING_ERASED {
                self.erase(&event.event.subject);
            }
            self.bytes += size(&event);
            self.events.push_back(event);
        }
        while self.events.len() > MOST || self.bytes > LARGEST {
            let Some(oldest) = self.events.pop_front() else {
                break;
            };
            self.bytes -= size(&oldest);
            self.base = oldest.cursor;
        }
    }

    fn erase(&mut self, erased: &Subject) {
        let Subject::Posting(erased) = erased else {
            return;
        };
        for RecordedEvent { event, .. } in &mut self.events {
            if let Subject::Posting(posting) = &mut event.subject
                && posting.source_identifier == erased.source_identifier
            {
                self.bytes -= posting.status_reason.as_ref().map_or(0, String::len);
                posting.erase();
            }
        }
    }

    pub fn look(&self, query: &LogQuery) -> Found {
        let Some(after) = query.after.filter(|after| *after >= self.base) else {
            return Found::Outside;
        };
        match after.cmp(&self.end) {
            Ordering::Less if self.read_at.elapsed() > READABLE => return Found::Outside,
            Ordering::Less => {}
            Ordering::Equal => return Found::Nothing(after),
            Ordering::Greater => return Found::Ahead,
        }
        let behind = self.events.partition_point(|event| event.cursor <= after);
        let later = self.events.range(behind..);
        let mut wanted = later.filter(|event| query.wants(&event.event));
        let events: Vec<_> = wanted.by_ref().take(query.limit).cloned().collect();
        let Some(last) = events.last() else {
            return Found::Nothing(self.end);
        };
        let has_more = wanted.next().is_some();
        Found::Page(LogPage {
            next: if has_more { last.cursor } else { self.end },
            events,
            has_more,
        })
    }
}

fn size(event: &RecordedEvent) -> usize {
    let texts = match &event.event.subject {
        Subject::Posting(posting) => {
            let reason = posting.status_reason.as_deref();
            posting.source_identifier.as_str().len() + reason.map_or(0, str::len)
        }
        Subject::Company(company) => {
            let logo = company.logo_path.as_deref();
            company.name.len() + company.website.as_str().len() + logo.map_or(0, str::len)
        }
        Subject::Attention(item) => item.subject.len() + item.sentence.len() + item.page.len(),
        Subject::Report(report) => report.source_identifier.as_str().len() + report.sentence.len(),
        Subject::Other(_) => 0,
    };
    size_of::<RecordedEvent>() + texts
}
