//! The working keys, opened, and everything that is done with them: sealing
//! texts, keyed fingerprints, signatures.
//!
//! Each key is random, has an id and is stored sealed by a master key that lies
//! outside the database. A dump alone discloses neither a credential nor an input.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::str::FromStr as _;

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use sqlx::PgPool;
use zeroize::Zeroizing;

use crate::audit::{Entry, EventActor};
use crate::db;
use crate::error::{Error, Result};
use crate::ids::{KeyId, ProposalId};
use crate::random;

type Bytes32 = Zeroizing<[u8; 32]>;

const NONCE: usize = 24;
/// The first byte of everything sealed, so that the form can change one day.
const SEALED_V1: u8 = 1;

/// The key that seals the working keys: 32 bytes in a file that only its owner reads.
pub struct MasterKey(Bytes32);

/// What is wrong with the master key's file.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// It cannot be read or written.
    #[error("the master key file {path} cannot be used; check that its directory exists and is yours")]
    Io {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Others may read it.
    #[error("the master key file {path} can be read by others; run: chmod 600 {path}")]
    Open {
        /// The file.
        path: String,
    },
    /// It does not hold 64 hexadecimal digits.
    #[error(
        "the master key file {path} does not hold 64 hexadecimal digits; put the right file back, for without it nothing that is sealed can be read"
    )]
    Malformed {
        /// The file.
        path: String,
    },
}

impl MasterKey {
    /// Reads the key, or makes it if the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be used, others may read it, or it holds something else.
    pub fn load_or_create(path: &Path) -> Result<Self, MasterKeyError> {
        let shown = path.display().to_string();
        let io = |source| MasterKeyError::Io { path: shown.clone(), source };
        let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        match made {
            Ok(mut file) => {
                let key = Zeroizing::new(random::bytes::<32>());
                file.write_all(hex(*key).as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
                Ok(Self(key))
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if fs::metadata(path).map_err(io)?.permissions().mode() & 0o077 != 0 {
                    return Err(MasterKeyError::Open { path: shown });
                }
                let text = Zeroizing::new(fs::read_to_string(path).map_err(io)?);
                let digest = crate::digest::Digest::from_str(text.trim())
                    .map_err(|_| MasterKeyError::Malformed { path: shown.clone() })?;
                Ok(Self(Zeroizing::new(*digest.as_bytes())))
            }
            Err(error) => Err(io(error)),
        }
    }

    /// A key for a test's own database.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }
}

/// What a sealed text does not open with.
#[derive(Debug, thiserror::Error)]
#[error("a sealed value cannot be opened: it was changed, belongs elsewhere, or was sealed by another key")]
pub struct Unsealable;

/// The opened working keys.
pub struct Vault {
    data: BTreeMap<KeyId, Bytes32>,
    data_in_use: KeyId,
    fingerprint: Bytes32,
    verifying: BTreeMap<KeyId, VerifyingKey>,
    signing: (KeyId, SigningKey),
}

/// The key of one proposal's sealed texts.
pub struct ContentKey(Bytes32);

impl Vault {
    /// Opens the working keys of this database, and makes those that it lacks.
    ///
    /// # Errors
    /// If the database cannot be reached or the master key is not the one that sealed them.
    pub async fn open(pool: &PgPool, master: &MasterKey) -> Result<Self> {
        let mut tx = pool.begin().await?;
        // Two servers that start together make one set of keys: the lock is the chain's.
        db::audit::open_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        db::audit::lock_chain(&mut tx, db::audit::ADMINISTRATION).await?;
        let now = db::now(&mut tx).await?;
        for purpose in ["data", "fingerprint", "signing"] {
            if db::keys::in_use(&mut tx, purpose).await? {
                continue;
            }
            let id = KeyId::from_random(random::bytes());
            let key = Zeroizing::new(random::bytes::<32>());
            let public =
                (purpose == "signing").then(|| SigningKey::from_bytes(&key).verifying_key().to_bytes().to_vec());
            let sealed = seal(&master.0, &working_key_place(&id), &*key);
            db::keys::insert(&mut tx, &id, purpose, &sealed, public.as_deref(), now).await?;
            let facts = serde_json::json!({
                "key": id, "purpose": purpose, "public": public.as_deref().map(hex),
            });
            let entry = Entry::administration("key.created", EventActor::Server, facts);
            db::audit::append(&mut tx, now, &entry).await?;
        }
        let rows = db::keys::all(&mut tx).await?;
        tx.commit().await?;

        let mut data = BTreeMap::new();
        let mut verifying = BTreeMap::new();
        let (mut data_in_use, mut fingerprint, mut signing) = (None, None, None);
        for row in rows {
            let id = KeyId::from_str(&row.id).map_err(Error::internal)?;
            let key = open(&master.0, &working_key_place(&id), &row.sealed)?;
            let key: Bytes32 = Zeroizing::new(key.as_slice().try_into().map_err(|_| Error::internal(Unsealable))?);
            match row.purpose.as_str() {
                "data" => {
                    if row.retired_at.is_none() {
                        data_in_use = Some(id.clone());
                    }
                    data.insert(id, key);
                }
                "fingerprint" if row.retired_at.is_none() => fingerprint = Some(key),
                "signing" => {
                    let key = SigningKey::from_bytes(&key);
                    verifying.insert(id.clone(), key.verifying_key());
                    if row.retired_at.is_none() {
                        signing = Some((id, key));
                    }
                }
                _ => {}
            }
        }
        let missing = || Error::internal("a working key is missing");
        Ok(Self {
            data,
            data_in_use: data_in_use.ok_or_else(missing)?,
            fingerprint: fingerprint.ok_or_else(missing)?,
            verifying,
            signing: signing.ok_or_else(missing)?,
        })
    }

    /// Seals a text for this place, such as `connection/con_…/credential`.
    #[must_use]
    pub fn seal(&self, place: &str, plain: &[u8]) -> Vec<u8> {
        let id = self.data_in_use.as_str().as_bytes();
        let mut sealed = vec![u8::try_from(id.len()).expect("an id is short")];
        sealed.extend_from_slice(id);
        sealed.extend(seal(&self.data[&self.data_in_use], place, plain));
        sealed
    }

    /// Opens what was sealed for this place.
    ///
    /// # Errors
    /// If it was changed, belongs to another place or was sealed by an unknown key.
    pub fn open_sealed(&self, place: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        let (&length, rest) = sealed.split_first().ok_or(Unsealable)?;
        let (id, rest) = rest.split_at_checked(usize::from(length)).ok_or(Unsealable)?;
        let id = std::str::from_utf8(id).ok().and_then(|id| KeyId::from_str(id).ok()).ok_or(Unsealable)?;
        open(self.data.get(&id).ok_or(Unsealable)?, place, rest)
    }

    /// A new key for one proposal's texts, and the key sealed.
    #[must_use]
    pub fn new_content_key(&self, proposal: &ProposalId) -> (ContentKey, Vec<u8>) {
        let key = Zeroizing::new(random::bytes::<32>());
        let sealed = self.seal(&content_key_place(proposal), &*key);
        (ContentKey(key), sealed)
    }

    /// Opens the key of a proposal's texts.
    ///
    /// # Errors
    /// If it was changed or belongs to another proposal.
    pub fn open_content_key(&self, proposal: &ProposalId, sealed: &[u8]) -> Result<ContentKey, Unsealable> {
        let key = self.open_sealed(&content_key_place(proposal), sealed)?;
        Ok(ContentKey(Zeroizing::new(key.as_slice().try_into().map_err(|_| Unsealable)?)))
    }

    /// A keyed fingerprint, by which equal sealed values can be found. The parts
    /// are told apart by their lengths.
    #[must_use]
    pub fn fingerprint(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(&*self.fingerprint)
            .expect("HMAC takes a key of any length");
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// Signs with the decision key.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> (KeyId, [u8; 64]) {
        let (id, key) = &self.signing;
        (id.clone(), key.sign(message).to_bytes())
    }

    /// Whether a decision key of this database made the signature.
    #[must_use]
    pub fn verifies(&self, key: &str, message: &[u8], signature: &[u8]) -> bool {
        let Some(key) = KeyId::from_str(key).ok().and_then(|id| self.verifying.get(&id)) else {
            return false;
        };
        Signature::from_slice(signature).is_ok_and(|signature| key.verify_strict(message, &signature).is_ok())
    }
}

impl ContentKey {
    /// Seals a text for this place, such as `content` or a record's id.
    #[must_use]
    pub fn seal(&self, place: &str, plain: &[u8]) -> Vec<u8> {
        seal(&self.0, place, plain)
    }

    /// Opens what was sealed for this place.
    ///
    /// # Errors
    /// If it was changed or belongs to another place.
    pub fn open(&self, place: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        open(&self.0, place, sealed)
    }
}

impl From<Unsealable> for Error {
    fn from(error: Unsealable) -> Self {
        Self::internal(error)
    }
}

fn working_key_place(id: &KeyId) -> String {
    format!("working_key/{id}")
}

fn content_key_place(proposal: &ProposalId) -> String {
    format!("proposal/{proposal}/key")
}

/// The place is authenticated with the text: a sealed value that was moved to
/// another row does not open there.
fn seal(key: &[u8; 32], place: &str, plain: &[u8]) -> Vec<u8> {
    let nonce = random::bytes::<NONCE>();
    let sealed = XChaCha20Poly1305::new(key.into())
        .encrypt(&XNonce::from(nonce), Payload { msg: plain, aad: place.as_bytes() })
        .expect("a text that fits into memory can be sealed");
    [&[SEALED_V1], nonce.as_slice(), &sealed].concat()
}

fn open(key: &[u8; 32], place: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
    let (&[version], rest) = sealed.split_first_chunk::<1>().ok_or(Unsealable)?;
    let (&nonce, rest) = rest.split_first_chunk::<NONCE>().ok_or(Unsealable)?;
    if version != SEALED_V1 {
        return Err(Unsealable);
    }
    XChaCha20Poly1305::new(key.into())
        .decrypt(&XNonce::from(nonce), Payload { msg: rest, aad: place.as_bytes() })
        .map(Zeroizing::new)
        .map_err(|_| Unsealable)
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    crate::audit::hex(bytes.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_opens_only_unchanged_with_its_key_at_its_place() {
        let key = [1; 32];
        let sealed = seal(&key, "here", b"text");
        assert_eq!(open(&key, "here", &sealed).unwrap().as_slice(), b"text");
        assert!(open(&key, "there", &sealed).is_err());
        assert!(open(&[2; 32], "here", &sealed).is_err());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open(&key, "here", &changed).is_err(), "byte {at}");
            assert!(open(&key, "here", &sealed[..at]).is_err(), "cut at {at}");
        }
        assert_ne!(sealed, seal(&key, "here", b"text"));
    }

    #[test]
    fn a_master_key_file_is_made_once_and_read_only_by_its_owner() {
        let path = std::env::temp_dir().join(hex(random::bytes::<16>()));
        let made = MasterKey::load_or_create(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(*made.0, *MasterKey::load_or_create(&path).unwrap().0);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(MasterKey::load_or_create(&path), Err(MasterKeyError::Open { .. })));
        fs::write(&path, "short").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(MasterKey::load_or_create(&path), Err(MasterKeyError::Malformed { .. })));
        fs::remove_file(&path).unwrap();
    }
}
