use std::hash::{BuildHasher as _, RandomState};

/// Bytes that nobody can guess: the standard library's hashers are seeded by
/// the system's random numbers.
pub(crate) fn bytes() -> [u8; 32] {
    let mut random = [0; 32];
    for (part, chunk) in random.chunks_exact_mut(8).enumerate() {
        chunk.copy_from_slice(&RandomState::new().hash_one(part).to_be_bytes());
    }
    random
}
