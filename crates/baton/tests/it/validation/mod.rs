//! The validation phase with real formatters, linters and compilers: a small
//! project in every language, and the same things that happen to it.

/// The cases that every toolchain has to pass, as tests of the module. Macros
/// are known below the place where they stand.
macro_rules! all_cases {
    ($toolchain:expr) => {
        #[test]
        fn is_clean() {
            crate::validation::cases::is_clean(&$toolchain);
        }

        #[test]
        fn is_mended() {
            crate::validation::cases::is_mended(&$toolchain);
        }

        #[test]
        fn cannot_be_mended() {
            crate::validation::cases::cannot_be_mended(&$toolchain);
        }

        #[test]
        fn cannot_be_parsed() {
            crate::validation::cases::cannot_be_parsed(&$toolchain);
        }

        #[test]
        fn is_missing() {
            crate::validation::cases::is_missing(&$toolchain);
        }

        #[test]
        fn takes_too_long() {
            crate::validation::cases::takes_too_long(&$toolchain);
        }
    };
}

mod cases;
mod change;
mod java;
mod logs;
mod people;
mod phase;
mod scanners;
mod toolchain;
mod toolchains;
