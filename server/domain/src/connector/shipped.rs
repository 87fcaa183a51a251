//! The manifests that come with the product.

/// The file names and texts of all of them.
pub const MANIFESTS: [(&str, &str); 2] = [
    ("sandbox.toml", include_str!("../../../connectors/sandbox.toml")),
    ("kinto.toml", include_str!("../../../connectors/kinto.toml")),
];

/// The file name and text of the manifest with this name.
#[must_use]
pub fn manifest(name: &str) -> Option<(&'static str, &'static str)> {
    MANIFESTS.into_iter().find(|(file, _)| file.strip_suffix(".toml") == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connector::manifest::Manifest;

    #[test]
    fn every_one_is_sound_and_named_as_its_file() {
        for (file, text) in MANIFESTS {
            let manifest = Manifest::from_toml(text, file).unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(format!("{}.toml", manifest.name), file);
            assert_eq!(Manifest::from_canonical(&manifest.canonical()).as_ref(), Ok(&manifest));
        }
        assert!(manifest("kinto").is_some());
        assert!(manifest("kin").is_none());
    }
}
