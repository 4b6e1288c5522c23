//! What the forge says its schema is.

use std::fs;
use std::path::Path;

/// What was agreed on, for people to read and for the comparison with GitHub's.
const WRITTEN: &str = "tests/it/graphql/schema.graphql";

#[test]
fn the_schema_is_the_one_that_is_written_down() {
    let served = baton_forge::sdl();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let written = fs::read_to_string(folder.join(WRITTEN)).unwrap_or_default();
    if served == written {
        return;
    }
    let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema.graphql");
    fs::write(&new, &served).unwrap();
    panic!(
        "the schema changed; look at the difference and keep it with\n    cp {} {}",
        new.display(),
        folder.join(WRITTEN).display(),
    );
}
