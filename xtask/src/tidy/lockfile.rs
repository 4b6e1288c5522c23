//! The number of packages is a budget: each one is built, downloaded and trusted.

const MAX_PACKAGES: usize = 499;

pub(super) fn check(lockfile: &str) -> Option<String> {
    let packages = lockfile
        .lines()
        .filter(|line| *line == "[[package]]")
        .count();
    (packages > MAX_PACKAGES).then(|| {
        format!("Cargo.lock has {packages} packages; {MAX_PACKAGES} is the maximum. Do without some, or raise it in xtask/src/tidy/lockfile.rs as a decision of its own.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_held_to_the_package() {
        assert_eq!(
            check(&"[[package]]\nname = \"a\"\n".repeat(MAX_PACKAGES)),
            None
        );
        insta::assert_snapshot!(
            check(&"[[package]]\n".repeat(MAX_PACKAGES + 1)).unwrap(),
            @"Cargo.lock has 500 packages; 499 is the maximum. Do without some, or raise it in xtask/src/tidy/lockfile.rs as a decision of its own."
        );
    }
}
