//! A text that is looked for in every form in which it could lie somewhere.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// What a provider says and nobody may keep.
pub struct Marker(pub &'static str);

impl Marker {
    /// The forms in which it is there: `raw`, `hex`, `HEX`, `base64`.
    pub fn forms_in(&self, bytes: &[u8]) -> Vec<&'static str> {
        let mut found: Vec<&'static str> = self
            .forms()
            .into_iter()
            .filter(|(_, form)| bytes.windows(form.len()).any(|window| window == form))
            .map(|(name, _)| name)
            .collect();
        found.dedup();
        found
    }

    pub fn is_in(&self, bytes: &[u8]) -> bool {
        !self.forms_in(bytes).is_empty()
    }

    pub fn hex(&self) -> String {
        domain::audit::hex(self.0.as_bytes())
    }

    /// As it stands in base64 behind so many other bytes.
    pub fn base64_behind(&self, others: usize) -> String {
        STANDARD.encode([vec![b'.'; others], self.0.as_bytes().to_vec(), b"..".to_vec()].concat())
    }

    fn forms(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut forms = vec![
            ("raw", self.0.as_bytes().to_vec()),
            ("hex", self.hex().into_bytes()),
            ("HEX", self.hex().to_uppercase().into_bytes()),
        ];
        for before in 0..3 {
            let bytes = [&[0; 2][..before], self.0.as_bytes()].concat();
            // Only the characters that no neighbour has a part in.
            let whole = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
            for text in [STANDARD.encode(&bytes), URL_SAFE.encode(&bytes)] {
                forms.push(("base64", text[whole.clone()].as_bytes().to_vec()));
            }
        }
        forms
    }
}

#[test]
fn a_marker_is_found_in_every_form() {
    let marker = Marker("mk-7Qw?z>9ZrT2x");
    for (text, form) in [
        (marker.0.to_owned(), "raw"),
        (marker.hex(), "hex"),
        (marker.hex().to_uppercase(), "HEX"),
        (marker.base64_behind(0), "base64"),
        (marker.base64_behind(1), "base64"),
        (marker.base64_behind(2), "base64"),
        (marker.base64_behind(3), "base64"),
    ] {
        assert_eq!(marker.forms_in(format!("before {text} after").as_bytes()), [form], "{text}");
    }
    assert!(!marker.is_in(b"mk-7Qw?z>9ZrT2"));
}
