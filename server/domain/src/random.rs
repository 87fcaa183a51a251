//! The one source of randomness: the operating system's.

/// Random bytes.
///
/// # Panics
/// If the operating system has none: then nothing may go on.
#[must_use]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}
