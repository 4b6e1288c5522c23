//! The files that projects describe themselves with. The first byte selects
//! the reader, the rest is the text; nothing may panic or run away.

#![no_main]

use baton_host::detect::parse;
use libfuzzer_sys::fuzz_target;

const READERS: [fn(&str); 12] = [
    |text| drop(parse::json(text)),
    |text| drop(parse::toml(text)),
    |text| drop(parse::yaml(text)),
    |text| drop(parse::pom(text)),
    |text| drop(parse::gems(text)),
    |text| {
        drop(parse::gradle_includes(text));
        parse::gradle_names_plugin(text, "checkstyle");
    },
    |text| {
        drop(parse::go_mod_module(text));
        drop(parse::go_mod_requires(text));
        drop(parse::go_work_uses(text));
    },
    |text| drop(parse::ini(text)),
    |text| drop(parse::callable_recipes(text)),
    |text| drop(parse::makefile_targets(text)),
    |text| drop(parse::nox_sessions(text)),
    |text| drop(parse::requirements(text)),
];

fuzz_target!(|data: &[u8]| {
    let Some((selector, bytes)) = data.split_first() else {
        return;
    };
    // Files reach the readers with invalid bytes replaced.
    let text = String::from_utf8_lossy(bytes);
    READERS[usize::from(*selector) % READERS.len()](&text);
});
