//! Content coding of answers: gzip and zstd (RFC 9110 §12.5.3).
//!
//! A body is compressed piece by piece while it is sent, so an export needs no more memory than a
//! page. Only answers to clients with a token are compressed. Answers that contain a secret are
//! not, because the length of a compressed text reveals something about it.

use std::{io, pin::Pin};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, BodyStream, BoxBody, MessageBody},
    http::{
        Method, StatusCode, Version,
        header::{
            AcceptEncoding, CONTENT_ENCODING, ContentEncoding, Encoding, Header as _, HeaderValue,
            VARY,
        },
    },
    web::Bytes,
};
use async_compression::{
    Level,
    tokio::bufread::{GzipEncoder, ZstdEncoder},
};
use futures_util::stream::{self, Stream};
use tokio::{
    io::{AsyncBufRead, AsyncRead},
    task::yield_now,
};
use tokio_util::io::{ReaderStream, StreamReader};

use crate::{
    answer::{Answer, held},
    context::RequestContext,
};

/// The smallest body that is compressed. Smaller bodies fit into one packet anyway.
const SMALLEST: u64 = 1024;
/// How many bytes are compressed at a time. Between pieces, the thread serves other requests.
const PIECE: usize = 64 * 1024;
const OUTPUT: usize = 16 * 1024;

/// How many bytes of memory it takes to compress a long answer: zstd's window and tables.
const HELD: usize = 1 << 20;

pub fn encode(request: &HttpRequest, mut answer: HttpResponse) -> Answer {
    answer
        .headers_mut()
        .insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    let has_body = *request.method() == Method::GET && answer.status() == StatusCode::OK;
    let is_small = matches!(answer.body().size(), BodySize::Sized(bytes) if bytes < SMALLEST);
    // HTTP/1.0 has no chunks, and the compressed length is not known in advance.
    if !has_body || is_small || request.version() < Version::HTTP_11 {
        return Ok(answer);
    }
    let Some(coding) = negotiate(request) else {
        return Ok(answer);
    };
    if let Some(bytes) = held(&answer) {
        RequestContext::hold(request, bytes + HELD)?;
    }
    Ok(answer.map_body(|head, body| {
        let name = HeaderValue::from_static(coding.as_str());
        head.headers_mut().insert(CONTENT_ENCODING, name);
        let plain = StreamReader::new(Box::pin(pieces(body)));
        BoxBody::new(BodyStream::new(ReaderStream::with_capacity(
            compressor(coding, plain),
            OUTPUT,
        )))
    }))
}

/// Returns the coding that the client prefers; between equals zstd, because it is faster.
fn negotiate(request: &HttpRequest) -> Option<ContentEncoding> {
    let offered = [Encoding::identity(), Encoding::zstd(), Encoding::gzip()];
    let accepted = AcceptEncoding::parse(request).ok()?;
    match accepted.negotiate(offered.iter())? {
        Encoding::Known(coding @ (ContentEncoding::Zstd | ContentEncoding::Gzip)) => Some(coding),
        _ => None,
    }
}

fn compressor(
    coding: ContentEncoding,
    plain: impl AsyncBufRead + 'static,
) -> Pin<Box<dyn AsyncRead>> {
    match coding {
        ContentEncoding::Zstd => Box::pin(ZstdEncoder::with_quality(plain, Level::Fastest)),
        _ => Box::pin(GzipEncoder::with_quality(plain, Level::Fastest)),
    }
}

fn pieces(body: BoxBody) -> impl Stream<Item = io::Result<Bytes>> {
    let state = (Box::pin(body), Bytes::new());
    stream::try_unfold(state, async |(mut body, mut rest)| {
        if rest.is_empty() {
            let next = std::future::poll_fn(|context| body.as_mut().poll_next(context));
            let Some(more) = next.await else {
                return Ok(None);
            };
            rest = more.map_err(|error| io::Error::other(error.to_string()))?;
        } else {
            yield_now().await;
        }
        let piece = rest.split_to(rest.len().min(PIECE));
        Ok(Some((piece, (body, rest))))
    })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_preferred_coding_is_taken() {
        for (accepted, expect) in [
            ("gzip", Some("gzip")),
            ("zstd", Some("zstd")),
            ("gzip, deflate", Some("gzip")),
            ("gzip, deflate, br, zstd", Some("zstd")),
            ("zstd;q=0.5, gzip", Some("gzip")),
            ("gzip;q=0", None),
            ("gzip;q=0, *;q=0", None),
            ("identity", None),
            ("br", None),
            ("*", None),
            ("", None),
            ("gzip;q=many", None),
        ] {
            let request = TestRequest::get().insert_header(("accept-encoding", accepted));
            let coding = negotiate(&request.to_http_request());
            assert_eq!(coding.map(ContentEncoding::as_str), expect, "{accepted:?}");
        }
        assert!(negotiate(&TestRequest::get().to_http_request()).is_none());
    }
}
