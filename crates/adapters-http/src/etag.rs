//! Conditional requests (RFC 9110 §13). A client with the current answer gets 304 without a body.

use actix_web::{
    HttpRequest, HttpResponse,
    body::MessageBody as _,
    http::header::{CACHE_CONTROL, ETAG, EntityTag, Header as _, HeaderValue, IfNoneMatch},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};

use crate::{answer::Answer, error::ApiError};

/// The length of a tag in bytes, enough to distinguish all versions of an answer.
const TAG_BYTES: usize = 16;

/// A private cache may store the answer, but must revalidate it before each use.
const CACHING: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Adds a tag of the answer's content. Returns 304 if the client already has this content.
///
/// The tag is a digest of the body, because the answer also changes with the posting's company and
/// history. The tag is weak, because the body may be compressed.
pub fn conditional(request: &HttpRequest, answer: HttpResponse) -> Answer {
    let (mut answer, body) = answer.into_parts();
    let body = body
        .try_into_bytes()
        .map_err(|_| ApiError::internal(&"a streamed body has no tag"))?;
    let tag = tag(&body);
    let value = HeaderValue::try_from(tag.to_string())?;
    let headers = [(ETAG, value), (CACHE_CONTROL, CACHING)];
    if is_known(request, &tag) {
        let mut unchanged = HttpResponse::NotModified();
        for header in headers {
            unchanged.insert_header(header);
        }
        return Ok(unchanged.finish());
    }
    for (name, value) in headers {
        answer.headers_mut().insert(name, value);
    }
    Ok(answer.set_body(body).map_into_boxed_body())
}

fn tag(body: &[u8]) -> EntityTag {
    let digest = digest(&SHA256, body);
    EntityTag::new_weak(URL_SAFE_NO_PAD.encode(&digest.as_ref()[..TAG_BYTES]))
}

fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_a_tag_of_the_same_content_is_known() {
        let (one, other) = (tag(b"one"), tag(b"other"));
        assert_ne!(one, other);
        let strong = EntityTag::new_strong(one.tag().to_owned());
        for (sent, expect) in [
            (vec![], false),
            (vec![one.to_string()], true),
            (vec![strong.to_string()], true),
            (vec![other.to_string()], false),
            (vec![format!("{other}, {one}")], true),
            (vec![other.to_string(), one.to_string()], true),
            (vec!["*".to_owned()], true),
            (vec![one.tag().to_owned()], false),
            (vec![String::new()], false),
        ] {
            let mut request = TestRequest::get();
            for value in &sent {
                request = request.append_header(("if-none-match", value.as_str()));
            }
            let request = request.to_http_request();
            assert_eq!(is_known(&request, &one), expect, "{sent:?}");
        }
    }
}
