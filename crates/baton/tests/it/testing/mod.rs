//! The testing phase with real test frameworks: the same small project in every
//! language, and the same things that happen to it.

/// The cases that every framework has to pass, as tests of the module. Macros
/// are known below the place where they stand.
macro_rules! all_cases {
    ($framework:expr) => {
        #[test]
        fn passes() {
            crate::testing::cases::passes(&$framework);
        }

        #[test]
        fn fails() {
            crate::testing::cases::fails(&$framework);
        }

        #[test]
        fn is_flaky() {
            crate::testing::cases::is_flaky(&$framework);
        }

        #[test]
        fn is_broken() {
            crate::testing::cases::is_broken(&$framework);
        }

        #[test]
        fn takes_too_long() {
            crate::testing::cases::takes_too_long(&$framework);
        }

        #[test]
        fn is_missing() {
            crate::testing::cases::is_missing(&$framework);
        }

        #[test]
        fn crashes() {
            crate::testing::cases::crashes(&$framework);
        }
    };
}

mod cases;
mod environment;
pub(crate) mod equipment;
mod framework;
mod go;
mod java;
mod javascript;
mod phase;
mod plain;
mod python;
mod ruby;
mod rust;
mod typescript;
