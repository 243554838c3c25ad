use std::{
    collections::HashMap,
    future::{Ready, ready},
    io,
    time::Duration,
};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, ResponseError as _,
    body::SizedStream,
    dev::Payload,
    http::header::{CACHE_CONTROL, ContentEncoding},
    web::{self, BytesMut},
};
use domain::{
    catalogue::{Guard, MaxMissing, Patience},
    import::{Ending, Line, LineOptions, Proof, Receipt, Summary},
    store::Texts,
    usecase::{CatalogueOrder, Import, ImportOrder},
};
use http_server::{RequestId, content_length};
use kernel::PostingId;
use tokio::{task::yield_now, time::Instant};
use uuid::Uuid;
use views::{
    import::{ImportLine, ImportReceipt, LastLine},
    posting::Preview,
};

use super::{
    body::{BodyFault, ImportBody, LARGEST_WINDOW, encoding_of},
    lines::Lines,
    spool::{IN_MEMORY, Spool},
};
use crate::{
    answer::Answer,
    body::Body,
    context::RequestContext,
    error::{ApiError, RETRY_UNAVAILABLE, refusals},
    oauth::{AuthError, Caller},
    posting::{NDJSON, PREFERENCE_APPLIED, Preferences, Previewed, Pushes, previewed},
    query::{Parameters, boolean, integer, integer_of},
    state::State,
};

const PIECE: usize = 64 * 1024;
/// How often an import looks its client up again. A client is cached for some seconds anyway.
const CLIENT_EVERY: Duration = Duration::from_secs(1);

const RETRY_NO_ROOM: u32 = 60;

/// The largest value of `min_missing` and `max_unattributed`.
const MOST_FEW: u64 = 10_000_000;

/// The name of the path segment, also in field errors.
pub const NAME: &str = "name";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Receipts {
    NotTaken,
    All,
}

pub struct ImportOptions {
    encoding: ContentEncoding,
    receipts: Receipts,
    dry_run: bool,
    prefer: Preferences,
    require_end: bool,
    pub guard: Guard,
    pub patience: Patience,
}

impl ImportOptions {
    fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let encoding = encoding_of(request)?;
        let length = content_length(request.headers());
        let state = request.app_data::<web::Data<State>>();
        let limit = state.map_or(u64::MAX, |state| state.import_limit);
        if encoding == ContentEncoding::Identity && length.is_some_and(|length| length > limit) {
            return Err(BodyFault::TooLarge(limit).into());
        }
        let is_of_catalogue = request.match_info().get(NAME).is_some();
        let mut parameters = Parameters::of(request.query_string());
        let dry_run = parameters.take("dry_run", boolean).unwrap_or(false);
        let mut options = Self {
            encoding,
            receipts: (parameters.take("receipts", receipts)).unwrap_or(Receipts::NotTaken),
            dry_run,
            prefer: Preferences::of(request.headers()).of_push(dry_run),
            require_end: parameters.take("require_end", boolean).unwrap_or(false),
            guard: Guard::default(),
            patience: Patience::default(),
        };
        if is_of_catalogue {
            let share = |text: &str| integer_of(text, 0, 100, MaxMissing::new);
            let few = |text: &str| integer(text, 0, MOST_FEW);
            let (least, most) = Patience::RANGE;
            let misses = |text: &str| integer_of(text, least, most, Patience::new);
            let guard = options.guard;
            options.guard = Guard {
                max_missing: parameters
                    .take("max_missing", share)
                    .unwrap_or(guard.max_missing),
                min_missing: parameters
                    .take("min_missing", few)
                    .unwrap_or(guard.min_missing),
                max_unattributed: parameters
                    .take("max_unattributed", few)
                    .unwrap_or(guard.max_unattributed),
            };
            options.patience = parameters.take("misses", misses).unwrap_or_default();
        }
        parameters.finish(options).map_err(ApiError::invalid)
    }
}

impl FromRequest for ImportOptions {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request))
    }
}

impl ImportOptions {
    fn has_all_receipts(&self) -> bool {
        self.receipts == Receipts::All || self.prefer.representation
    }
}

fn receipts(text: &str) -> Result<Receipts, String> {
    match text {
        "all" => Ok(Receipts::All),
        "refused" => Ok(Receipts::NotTaken),
        _ => Err("must be all or refused".to_owned()),
    }
}

/// The memory that an import holds: a line, a piece of the body, receipts, and the decompressor.
fn held(options: &ImportOptions, state: &State) -> usize {
    let unpacks = match options.encoding {
        ContentEncoding::Identity => 0,
        ContentEncoding::Zstd => 1 << LARGEST_WINDOW,
        _ => PIECE,
    };
    state.body_limit + PIECE + IN_MEMORY + unpacks
}

pub async fn run(
    caller: Caller,
    options: ImportOptions,
    body: Body,
    state: &State,
    catalogue: Option<CatalogueOrder>,
) -> Answer {
    let request = body.head().clone();
    // Take the slot before the wait, or a client could let any number of requests wait.
    let _slot = state.imports.take(caller.id())?;
    RequestContext::hold(&request, held(&options, state))?;
    wait_for_limit(&request, state, &caller).await?;
    let order = ImportOrder {
        client: caller.id(),
        dry_run: options.dry_run,
        handling: options.prefer.handling,
        catalogue,
    };
    let import = state.ports.imports.begin(order).await?;
    let mut payload = body.ask();
    let Ok(request_id) = RequestId::extract(&request).await;
    let pushes = Pushes::new(&state.ports, caller.id(), &request_id, options.dry_run);
    let mut running = Running {
        request: &request,
        state,
        caller,
        looked_up: Instant::now(),
        options: &options,
        import,
        receipts: Vec::new(),
        lines: HashMap::new(),
        pushes,
        spool: Spool::default(),
    };
    let taken = running.take_in(&mut payload).await;
    let settled = running.settle(taken.is_ok()).await;
    let taken = settled.and(taken);
    let Running { import, spool, .. } = running;
    let ending = *taken.as_ref().unwrap_or(&Ending::Broken);
    let (summary, ended) = import.finish(ending).await;
    let ended = taken.and(ended.map_err(ApiError::from));
    answer(&options, spool, &summary, ended).await
}

struct Running<'a> {
    request: &'a HttpRequest,
    state: &'a State,
    caller: Caller,
    looked_up: Instant,
    options: &'a ImportOptions,
    import: Box<dyn Import>,
    receipts: Vec<Receipt>,
    /// Lines without a receipt yet, by number. Filled only if the client requested previews.
    lines: HashMap<u64, Line>,
    pushes: Pushes<'a>,
    spool: Spool,
}

impl Running<'_> {
    async fn take_in(&mut self, payload: &mut Payload) -> Result<Ending, ApiError> {
        let (state, encoding) = (self.state, self.options.encoding);
        let mut body = ImportBody::new(payload, encoding, state.timeouts.body, state.import_limit);
        let (mut cut, mut lines) = (Lines::new(state.body_limit), Vec::new());
        let mut proof = Proof::default();
        let mut buffer = BytesMut::with_capacity(PIECE);
        loop {
            let is_more = tokio::select! {
                read = body.read(&mut buffer) => read?,
                () = state.stopping.cancelled() => return Err(ApiError::stopping()),
            };
            if !is_more {
                break;
            }
            cut.push(&buffer, &mut lines);
            buffer.clear();
            let noted = proof.note(&mut lines);
            self.take(std::mem::take(&mut lines)).await?;
            noted?;
            // A body that has arrived completely would keep this thread from other requests.
            yield_now().await;
        }
        cut.finish(&mut lines);
        let noted = proof.note(&mut lines);
        self.take(lines).await?;
        noted?;
        Ok(proof.finish(self.options.require_end)?)
    }

    async fn take(&mut self, lines: Vec<Line>) -> Result<(), ApiError> {
        if lines.is_empty() {
            return Ok(());
        }
        self.look_up().await?;
        for _ in &lines {
            wait_for_limit(self.request, self.state, &self.caller).await?;
        }
        if self.options.prefer.representation {
            let lines = lines.iter().map(|line| (line.number, line.clone()));
            self.lines.extend(lines);
        }
        let prefixes = self.caller.prefixes();
        let taken = self.import.take(lines, prefixes, &mut self.receipts);
        let taken = taken.await;
        self.spool().await?;
        Ok(taken?)
    }

    /// Waits for the remaining receipts. Returns no error if the import has already failed.
    async fn settle(&mut self, is_well: bool) -> Result<(), ApiError> {
        let settled = self.import.settle(&mut self.receipts).await;
        self.spool().await?;
        match settled {
            Err(error) if is_well => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Looks the client up again, because it may have been revoked or may have other prefixes. If
    /// the store is unavailable, the old values still apply. No line can then be written, and the
    /// import decides how long to wait.
    async fn look_up(&mut self) -> Result<(), ApiError> {
        if self.looked_up.elapsed() < CLIENT_EVERY {
            return Ok(());
        }
        match self.caller.again().await {
            Ok(caller) => self.caller = caller,
            Err(AuthError::Unavailable) => {}
            Err(error) => return Err(error.into()),
        }
        self.looked_up = Instant::now();
        Ok(())
    }

    async fn spool(&mut self) -> Result<(), ApiError> {
        for receipt in std::mem::take(&mut self.receipts) {
            let (line, is_failure) = (receipt.line, receipt.is_failure());
            let preview = self.preview(line, receipt.result.is_ok()).await?;
            let Self {
                options,
                pushes,
                spool,
                ..
            } = self;
            let id = receipt.id.as_deref();
            let result = receipt.result.map_err(ApiError::from);
            pushes.record(id.unwrap_or_default(), result.as_ref());
            let shown = match &result {
                Ok(answer) if options.has_all_receipts() => {
                    let preview = preview.as_ref();
                    let preview =
                        preview.map(|(view, job)| Preview::new(view, Texts::None, job.as_deref()));
                    ImportReceipt::taken(line, id, answer, options.dry_run, preview)
                }
                Ok(_) => continue,
                Err(error) => {
                    let status = error.status_code().as_u16();
                    let (message, errors) = (error.message(), error.errors());
                    ImportReceipt::refused((line, id), is_failure, status, message, errors)
                }
            };
            spool.add(&ImportLine::Receipt(shown))?;
        }
        let flushed = self.spool.flush().await;
        flushed.map_err(|error| cannot_spool(&error))
    }

    /// Returns a preview of an accepted line if the client requested previews.
    async fn preview(&mut self, line: u64, is_taken: bool) -> Result<Option<Previewed>, ApiError> {
        let Some(line) = self.lines.remove(&line).filter(|_| is_taken) else {
            return Ok(None);
        };
        let options = LineOptions {
            client: self.caller.id(),
            handling: self.options.prefer.handling,
            catalogue: None,
            import: None,
        };
        let new_id = PostingId::new(Uuid::now_v7());
        let parsed = line.parse(&options, self.caller.prefixes(), new_id);
        match parsed.command {
            Ok(put) => Ok(previewed(self.state, &put).await?.1),
            Err(_) => Ok(None),
        }
    }
}

/// Counts the request of the import or one of its lines, and waits until the limit allows it.
async fn wait_for_limit(
    request: &HttpRequest,
    state: &State,
    caller: &Caller,
) -> Result<(), ApiError> {
    tokio::select! {
        usage = caller.wait_for_limit() => RequestContext::set(request, caller.id(), usage),
        () = state.stopping.cancelled() => return Err(ApiError::stopping()),
    }
    Ok(())
}

fn cannot_spool(error: &io::Error) -> ApiError {
    tracing::error!(cause = %error, "the receipts of an import cannot be kept");
    ApiError::no_room()
}

/// Writes the receipts, and then the summary. If the import failed, the status says why.
async fn answer(
    options: &ImportOptions,
    mut spool: Spool,
    summary: &Summary,
    ended: Result<(), ApiError>,
) -> Answer {
    let error = ended.err();
    let message = error.as_ref().map(ApiError::message);
    let omitted = spool.omitted();
    let last = ImportLine::Summary(LastLine::new(summary, omitted, message));
    spool.add_last(&last)?;
    tracing::info!(result = serde_json::to_string(&last)?, "an import ended");
    let mut response = match &error {
        None => HttpResponse::Ok(),
        Some(error) => error.start(),
    };
    response
        .content_type(NDJSON)
        .insert_header((CACHE_CONTROL, "no-store"));
    if let Some(applied) = options.prefer.applied() {
        response.insert_header((PREFERENCE_APPLIED, applied));
    }
    let length = spool.len();
    if let Some(all) = spool.take_memory() {
        return Ok(response.body(all));
    }
    let pieces = (spool.read().await).map_err(|error| cannot_spool(&error))?;
    Ok(response.body(SizedStream::new(length, Box::pin(pieces))))
}

refusals! {
    stopping: SERVICE_UNAVAILABLE, "The service is stopping. Retry.",
        RETRY_AFTER: RETRY_UNAVAILABLE;
    no_room: SERVICE_UNAVAILABLE,
        "The service has no room for the receipts of this import. Retry later.",
        RETRY_AFTER: RETRY_NO_ROOM;
}
