//! Reads the targets of a makefile.

use super::MAX_ENTRIES;

/// The targets of the explicit rules of a makefile. Pattern rules, special
/// targets and targets whose names are computed are left out.
pub fn makefile_targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut continued = false;
    let mut in_define = false;
    for line in text.lines() {
        let is_continuation = std::mem::replace(&mut continued, line.ends_with('\\'));
        if in_define {
            in_define = line.trim() != "endef";
            continue;
        }
        if line.starts_with("define ") {
            in_define = true;
            continue;
        }
        if is_continuation || line.starts_with(['\t', '#', ' ']) {
            continue;
        }
        let Some((targets, rest)) = line.split_once(':') else {
            continue;
        };
        // `a := b`, `a ::= b` and `a = b:c` are assignments.
        if rest.trim_start_matches(':').starts_with('=') || targets.contains('=') {
            continue;
        }
        found.extend(
            targets
                .split_whitespace()
                .filter(|target| !target.starts_with('.') && !target.contains(['%', '$', '(', '#']))
                .map(str::to_owned),
        );
        if found.len() >= MAX_ENTRIES {
            found.truncate(MAX_ENTRIES);
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_rules_only() {
        let text = "CC := gcc\nX = a:b\nPATHS ::= x\n.PHONY: all lint\nall lint: dep\n\t@echo no: really\n%.o: %.c\n\
                    $(BIN): main.c\ndefine T\nfake: x\nendef\ntest:: unit\nLONG = a \\\n  b: c\nfmt:\n";
        assert_eq!(makefile_targets(text), ["all", "lint", "test", "fmt"]);
    }
}
