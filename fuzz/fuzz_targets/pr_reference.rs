//! Whatever is read as a pull request has a normal form that means the same.

#![no_main]

use baton_protocol::{PrReference, Repository};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let default = Repository::new("ada", "loom").expect("a plain name");
    for default in [None, Some(&default)] {
        match PrReference::parse(text, default) {
            Ok(reference) => {
                let again = PrReference::parse(&reference.to_string(), None)
                    .expect("the normal form is readable");
                assert_eq!(again.repository(), reference.repository());
                assert_eq!(again.number(), reference.number());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
