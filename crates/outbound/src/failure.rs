use std::{error::Error, io};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Request,
    Timeout,
    Tls,
    Broken,
    /// The name did not resolve, or the connection failed or was closed.
    Connection,
}

pub fn failure(error: &reqwest::Error) -> Failure {
    if error.is_builder() {
        Failure::Request
    } else if error.is_timeout() {
        Failure::Timeout
    } else if find::<rustls::Error>(error).is_some() {
        Failure::Tls
    } else if find::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
        Failure::Broken
    } else {
        Failure::Connection
    }
}

/// The first error of type `T` among an error and its causes.
pub fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = match error.downcast_ref::<io::Error>().map(io::Error::get_ref) {
            // `io::Error::source` skips the wrapped error, and returns that error's source.
            Some(Some(wrapped)) => Some(wrapped),
            _ => error.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] io::Error);

    #[test]
    fn an_error_is_found_among_the_causes_even_inside_an_io_error() {
        let tls = rustls::Error::HandshakeNotComplete;
        let error = Outer(io::Error::other(Outer(io::Error::other(tls.clone()))));
        assert_eq!(find::<rustls::Error>(&error), Some(&tls));
        assert!(find::<Outer>(&error).is_some());
        let other = Outer(io::ErrorKind::ConnectionReset.into());
        assert_eq!(find::<rustls::Error>(&other), None);
        assert!(find::<io::Error>(&other).is_some());
    }
}
