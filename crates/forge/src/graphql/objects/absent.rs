use std::convert::Infallible;

/// What the forge has none of: a type around it is in the schema, and no value
/// of it is ever made.
pub(super) struct Absent(Infallible);

impl Absent {
    /// Whatever is asked of something that is not there.
    pub(super) fn claim<T>(&self) -> T {
        match self.0 {}
    }
}
