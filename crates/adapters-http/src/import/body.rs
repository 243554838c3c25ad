//! The body of an import, which is unpacked while it arrives.

use std::{io, pin::Pin, time::Duration};

use actix_web::{
    HttpMessage as _, HttpRequest,
    dev::Payload,
    error::PayloadError,
    http::{
        StatusCode,
        header::{self, ContentEncoding, HeaderValue},
    },
    web::BytesMut,
};
use async_compression::{
    tokio::bufread::{GzipDecoder, ZstdDecoder},
    zstd::DParameter,
};
use fields::body::Encoding;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    time::timeout,
};
use tokio_util::io::StreamReader;

use crate::{error::ApiError, posting::NDJSON};

/// The largest window of a zstd frame, held in memory, as a power of two (RFC 9659 §3).
pub const LARGEST_WINDOW: u32 = 23;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    #[error("The body broke off.")]
    BrokenOff,
    #[error("The body did not arrive in time.")]
    Stalled,
    #[error("The body cannot be unpacked: {0}.")]
    Corrupt(String),
    #[error("The body {}.", .0.cure(true))]
    Encoded(Encoding),
    #[error("The import is too large; at most {0} bytes are accepted, unpacked.")]
    TooLarge(u64),
}

impl From<BodyFault> for ApiError {
    fn from(fault: BodyFault) -> Self {
        let status = match fault {
            BodyFault::BrokenOff | BodyFault::Corrupt(_) | BodyFault::Encoded(_) => {
                StatusCode::BAD_REQUEST
            }
            BodyFault::Stalled => StatusCode::REQUEST_TIMEOUT,
            BodyFault::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        };
        Self::new(status, fault.to_string())
    }
}

/// Checks the media type and finds the compression. The type may be absent (`curl -T` sends none).
pub fn encoding_of(request: &HttpRequest) -> Result<ContentEncoding, ApiError> {
    let headers = request.headers();
    let is_ndjson = request.content_type().eq_ignore_ascii_case(NDJSON);
    if headers.contains_key(header::CONTENT_TYPE) && !is_ndjson {
        return Err(ApiError::unsupported_media_type(
            "Content-Type must be application/x-ndjson.",
        ));
    }
    let mut encodings = headers.get_all(header::CONTENT_ENCODING);
    let known = match encodings.next().map(HeaderValue::to_str) {
        None => Some(ContentEncoding::Identity),
        Some(Ok(name)) if name.trim().eq_ignore_ascii_case("x-gzip") => Some(ContentEncoding::Gzip),
        Some(name) => name.ok().and_then(|name| name.parse().ok()),
    };
    let is_known = |encoding: &ContentEncoding| {
        use ContentEncoding::{Gzip, Identity, Zstd};
        matches!(encoding, Identity | Gzip | Zstd) && encodings.next().is_none()
    };
    known.filter(is_known).ok_or_else(|| {
        ApiError::unsupported_media_type("Content-Encoding must be gzip, zstd, identity or absent.")
            .with_header(
                header::ACCEPT_ENCODING,
                HeaderValue::from_static("gzip, zstd, identity"),
            )
    })
}

pub struct ImportBody<'a> {
    unpacked: Pin<Box<dyn AsyncRead + 'a>>,
    left: u64,
    limit: u64,
    /// A fault after the bytes that were returned. The next read returns it.
    fault: Option<BodyFault>,
    is_begun: bool,
}

impl<'a> ImportBody<'a> {
    /// A body of at most this many unpacked bytes. Each piece must arrive within `patience`.
    pub fn new(
        payload: &'a mut Payload,
        encoding: ContentEncoding,
        patience: Duration,
        limit: u64,
    ) -> Self {
        let pieces = stream::unfold(payload, move |payload| async move {
            let next = timeout(patience, payload.next()).await;
            let piece = match next {
                Ok(None) => return None,
                Ok(Some(Ok(piece))) => Ok(piece),
                Ok(Some(Err(error))) => Err(broken_off(&error)),
                Err(_) => Err(io::Error::other(BodyFault::Stalled)),
            };
            Some((piece, payload))
        });
        // The stream may be read again after its end.
        let packed = StreamReader::new(Box::pin(pieces.fuse()));
        let unpacked: Pin<Box<dyn AsyncRead + 'a>> = match encoding {
            ContentEncoding::Gzip => {
                let mut decoder = GzipDecoder::new(packed);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            ContentEncoding::Zstd => {
                let window = [DParameter::window_log_max(LARGEST_WINDOW)];
                let mut decoder = ZstdDecoder::with_params(packed, &window);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            _ => Box::pin(packed),
        };
        Self {
            unpacked,
            left: limit,
            limit,
            fault: None,
            is_begun: false,
        }
    }

    /// Reads the next piece into the buffer, and further pieces that have already arrived while
    /// there is room. Returns `false` at the end. Pieces are read together, because a piece may
    /// have only one line and each hand-over wakes other threads.
    pub async fn read(&mut self, buffer: &mut BytesMut) -> Result<bool, BodyFault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let mut is_more = self.piece(buffer).await?;
        if !std::mem::replace(&mut self.is_begun, true)
            && let Some(encoding) = Encoding::of(buffer)
        {
            return Err(BodyFault::Encoded(encoding));
        }
        let is_any = is_more;
        while is_more && buffer.len() < buffer.capacity() {
            match self.piece(buffer).now_or_never() {
                Some(Ok(more)) => is_more = more,
                Some(Err(fault)) => {
                    // The lines before the fault still count.
                    self.fault = Some(fault);
                    break;
                }
                None => break,
            }
        }
        Ok(is_any)
    }

    async fn piece(&mut self, buffer: &mut BytesMut) -> Result<bool, BodyFault> {
        let before = buffer.len();
        match self.unpacked.read_buf(buffer).await {
            Ok(0) => Ok(false),
            Ok(read) => {
                let left = self.left.checked_sub(read as u64);
                self.left = left.ok_or_else(|| {
                    buffer.truncate(before);
                    BodyFault::TooLarge(self.limit)
                })?;
                Ok(true)
            }
            Err(error) => Err(fault(&error)),
        }
    }
}

fn broken_off(error: &PayloadError) -> io::Error {
    tracing::debug!(cause = %error, "the body of an import broke off");
    io::Error::other(BodyFault::BrokenOff)
}

fn fault(error: &io::Error) -> BodyFault {
    let own = error.get_ref().and_then(|cause| cause.downcast_ref());
    match own {
        Some(fault) => BodyFault::clone(fault),
        None if error.kind() == io::ErrorKind::UnexpectedEof => BodyFault::BrokenOff,
        None => BodyFault::Corrupt(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::web::Bytes;

    use super::*;

    async fn reads(
        pieces: Vec<Result<Bytes, PayloadError>>,
        limit: u64,
    ) -> (Vec<String>, Result<(), BodyFault>) {
        let mut payload: Payload = Payload::Stream {
            payload: Box::pin(stream::iter(pieces)),
        };
        let patience = Duration::from_secs(30);
        let mut body = ImportBody::new(&mut payload, ContentEncoding::Identity, patience, limit);
        let mut reads = Vec::new();
        loop {
            let mut buffer = BytesMut::with_capacity(16);
            match body.read(&mut buffer).await {
                Ok(true) => reads.push(String::from_utf8(buffer.to_vec()).unwrap()),
                Ok(false) => return (reads, Ok(())),
                Err(fault) => return (reads, Err(fault)),
            }
        }
    }

    #[tokio::test]
    async fn pieces_that_have_arrived_are_read_together() {
        let pieces = || ["one\n", "two\n", "three\n", "four\n"].map(Bytes::from);
        let whole = pieces().map(Ok).into();
        let all = ["one\ntwo\nthree\nfo", "ur\n"].map(str::to_owned);
        assert_eq!(reads(whole, 100).await, (all.to_vec(), Ok(())));

        let mut broken: Vec<_> = pieces()[..2].iter().cloned().map(Ok).collect();
        broken.push(Err(PayloadError::Incomplete(None)));
        let two = vec!["one\ntwo\n".to_owned()];
        assert_eq!(reads(broken, 100).await, (two, Err(BodyFault::BrokenOff)));

        let packed = vec![
            Ok(Bytes::from_static(b"\x1F\x8B\x08")),
            Ok(Bytes::from("x\n")),
        ];
        let encoded = BodyFault::Encoded(Encoding::Gzip);
        let message = "The body is packed by gzip; send `Content-Encoding: gzip` with it.";
        assert_eq!(encoded.to_string(), message);
        assert_eq!(reads(packed, 100).await, (vec![], Err(encoded)));

        let (most, fault) = reads(pieces().map(Ok).into(), 10).await;
        assert_eq!(most, ["one\ntwo\n"]);
        assert_eq!(fault, Err(BodyFault::TooLarge(10)));
    }
}
