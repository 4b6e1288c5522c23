//! CI logs: what the runner put around a program's own output.

/// What a raw line is once the CI's part is taken off.
pub(crate) enum Unwrapped<'a> {
    /// A line that the step's program printed.
    Output(&'a [u8]),
    /// The CI's own words; nothing for formats.
    Chatter,
    /// A new step begins, with its name.
    Step(&'a [u8]),
    /// The step at hand has failed.
    StepFailed,
}

/// Takes a CI's wrapping off, line by line.
#[derive(Default)]
pub(crate) struct Unwrapper {}

impl Unwrapper {
    pub(crate) fn line<'a>(&mut self, line: &'a [u8]) -> Unwrapped<'a> {
        Unwrapped::Output(line)
    }
}
