//! Random bytes.

/// Bytes that no one can guess.
pub(crate) fn bytes() -> [u8; 32] {
    let mut random = [0; 32];
    getrandom::fill(&mut random).expect("the system has random numbers");
    random
}
