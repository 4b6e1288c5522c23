//! Reads every case of a corpus folder and writes what was understood, for a
//! scorer: `predict CORPUS INPUT OUT`, where cases are
//! `CORPUS/<framework>/<case>/INPUT` and answers `OUT/<framework>__<case>.json`.
#![expect(
    clippy::disallowed_methods,
    reason = "a tool for measuring, not part of the library"
)]

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [corpus, input, out] = &arguments[..] else {
        return Err("usage: predict CORPUS INPUT OUT".into());
    };
    fs::create_dir_all(out)?;
    for framework in fs::read_dir(corpus)? {
        let framework = framework?;
        if !framework.file_type()?.is_dir() {
            continue;
        }
        for case in fs::read_dir(framework.path())? {
            let case = case?;
            let Ok(bytes) = fs::read(case.path().join(input)) else {
                continue;
            };
            let name = format!(
                "{}__{}.json",
                framework.file_name().display(),
                case.file_name().display()
            );
            let answer = serde_json::to_string_pretty(&baton_report::read(&bytes))?;
            fs::write(Path::new(out).join(name), answer)?;
        }
    }
    Ok(())
}
