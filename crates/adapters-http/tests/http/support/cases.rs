//! Requests that are refused, with the expected answers.

use super::{INTERNALS, Request, Response, TestApp};

/// Checks the properties that all errors share.
pub fn assert_is_error(response: &Response, status: u16, name: &str) {
    assert_eq!(response.status, status, "{name}: {response:?}");
    assert!(!response.message().is_empty(), "{name}");
    assert!(response.header("X-Request-Id").is_some(), "{name}");
    assert_eq!(
        response.header("X-Content-Type-Options"),
        Some("nosniff"),
        "{name}"
    );
}

pub struct Case {
    name: &'static str,
    request: Request,
    status: u16,
    message: &'static str,
    header: Option<(&'static str, &'static str)>,
}

pub fn case(name: &'static str, request: Request, status: u16) -> Case {
    Case {
        name,
        request,
        status,
        message: "",
        header: None,
    }
}

impl Case {
    pub fn says(self, message: &'static str) -> Self {
        Self { message, ..self }
    }

    pub fn with(self, header: &'static str, part: &'static str) -> Self {
        Self {
            header: Some((header, part)),
            ..self
        }
    }
}

/// Sends each request and compares the answer.
pub async fn check(app: &TestApp, cases: impl IntoIterator<Item = Case>) {
    for Case {
        name,
        request,
        status,
        message,
        header,
    } in cases
    {
        let response = request.send(app).await;
        assert_is_error(&response, status, name);
        assert!(response.message().contains(message), "{name}: {response:?}");
        assert!(!response.text().contains(INTERNALS), "{name}: {response:?}");
        if let Some((header, part)) = header {
            let value = response.header(header);
            assert!(
                value.is_some_and(|value| value.contains(part)),
                "{name}: {response:?}"
            );
        }
    }
}
