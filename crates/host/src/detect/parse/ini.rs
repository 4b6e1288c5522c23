//! Reads INI files such as `tox.ini`.

use super::MAX_ENTRIES;

/// The sections of an INI file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ini {
    sections: Vec<(String, Vec<(String, String)>)>,
}

impl Ini {
    pub fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|(name, _)| name.as_str())
    }

    pub fn has_section(&self, name: &str) -> bool {
        self.sections().any(|section| section == name)
    }

    /// The value of a key, with its continuation lines joined by newlines.
    pub fn value(&self, section: &str, key: &str) -> Option<&str> {
        let (_, entries) = self.sections.iter().find(|(name, _)| name == section)?;
        let (_, value) = entries.iter().find(|(name, _)| name == key)?;
        Some(value)
    }
}

/// Reads `setup.cfg`, `tox.ini`, `pytest.ini` and their kind.
pub fn ini(text: &str) -> Ini {
    let mut ini = Ini::default();
    let mut entries = 0;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        entries += 1;
        if entries > MAX_ENTRIES {
            break;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|t| t.strip_suffix(']'))
            && !line.starts_with([' ', '\t'])
        {
            ini.sections.push((name.trim().to_owned(), Vec::new()));
            continue;
        }
        let Some((_, values)) = ini.sections.last_mut() else {
            continue;
        };
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = values.last_mut() {
                value.push('\n');
                value.push_str(trimmed);
            }
        } else if let Some((key, value)) = trimmed.split_once(['=', ':']) {
            values.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    ini
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keys_and_continuations() {
        let read =
            ini("stray = 1\n[tox]\nenv_list =\n  lint\n  py\n# no\n[testenv:lint]\ndeps: ruff\n");
        assert_eq!(read.sections().collect::<Vec<_>>(), ["tox", "testenv:lint"]);
        assert_eq!(read.value("tox", "env_list"), Some("\nlint\npy"));
        assert_eq!(read.value("testenv:lint", "deps"), Some("ruff"));
        assert_eq!(read.value("tox", "stray"), None);
    }
}
