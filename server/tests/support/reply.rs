//! An answer, read to its end.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Response, StatusCode, header};

/// An answer, read to its end.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Reply {
    pub async fn read(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 4 * 1024 * 1024).await.unwrap();
        Self { status: parts.status, headers: parts.headers, body: String::from_utf8_lossy(&body).into_owned() }
    }

    /// A header that stands there once.
    #[track_caller]
    pub fn header(&self, name: impl header::AsHeaderName) -> &str {
        self.headers.get(name).expect("the header is there").to_str().unwrap()
    }

    /// Every `Set-Cookie`.
    pub fn cookies(&self) -> Vec<&str> {
        self.headers.get_all(header::SET_COOKIE).iter().map(|value| value.to_str().unwrap()).collect()
    }

    #[track_caller]
    pub fn assert_status(&self, expected: u16) -> &Self {
        assert_eq!(self.status.as_u16(), expected, "{}", self.body);
        self
    }

    #[track_caller]
    pub fn assert_leads_to(&self, place: &str) -> &Self {
        self.assert_status(303);
        assert_eq!(self.header(header::LOCATION), place);
        self
    }

    #[track_caller]
    pub fn assert_says(&self, text: &str) -> &Self {
        assert!(self.body.contains(text), "{text:?} is not in: {}", self.body);
        self
    }

    #[track_caller]
    pub fn assert_does_not_say(&self, text: &str) -> &Self {
        assert!(!self.body.contains(text), "{text:?} is in: {}", self.body);
        self
    }
}
