//! Whatever git prints, reading it must not panic. The first byte selects the
//! parser.
#![no_main]

use baton_host::git::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&selector, bytes)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(bytes);
    match selector % 22 {
        0 => drop(parse::branches(bytes)),
        1 => drop(parse::remote_branches(bytes)),
        2 => drop(parse::remote_refs(bytes)),
        3 => drop(parse::changed_files(bytes)),
        4 => drop(parse::layout(bytes)),
        5 => drop(parse::log(bytes)),
        6 => drop(parse::merge_tree(bytes)),
        7 => drop(parse::patch_ids(bytes)),
        8 => drop(parse::push(bytes)),
        9 => drop(parse::range_diff(bytes)),
        10 => drop(parse::remote_config(bytes)),
        11 => drop(parse::remote_lines(bytes)),
        12 => {
            let _ = parse::version(bytes);
        }
        13 => drop(parse::worktrees(bytes)),
        14 => {
            let _ = parse::remote_error_kind(&text);
        }
        15 => {
            let (summary, stderr) = text.split_once('\n').unwrap_or((&text, ""));
            let _ = parse::rejection(summary, stderr);
        }
        17 => drop(parse::blame(bytes)),
        18 => drop(parse::diff(bytes)),
        19 => drop(parse::tree(bytes)),
        20 => drop(parse::blobs(bytes).collect::<Vec<_>>()),
        21 => drop(parse::blob_sizes(bytes).collect::<Vec<_>>()),
        _ => {
            let _ = parse::rejection_before_transfer(&text);
        }
    }
});
