//! Reads package names of Python requirements.

use super::MAX_ENTRIES;

/// The packages of a requirements file, normalised to lower case with dashes.
pub fn requirements(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(requirement_name)
        .take(MAX_ENTRIES)
        .collect()
}

/// The package that one requirement (`Django[argon2]>=5; python_version…`) names.
pub fn requirement_name(requirement: &str) -> Option<String> {
    let requirement = requirement.trim();
    let end = requirement
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(requirement.len());
    let name = &requirement[..end];
    // Options (`-r other.txt`) and comments are no packages.
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        .then(|| name.to_ascii_lowercase().replace(['_', '.'], "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_only() {
        let text = "-r base.txt\n# x\nDjango[argon2]>=5 ; python_version > '3'\npytest_asyncio==1\n\n./local\n";
        assert_eq!(requirements(text), ["django", "pytest-asyncio"]);
    }
}
