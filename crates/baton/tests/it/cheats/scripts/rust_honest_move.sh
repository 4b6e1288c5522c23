# Renames a file of tests on the way.
# project: rust
# request: Refuse totals above 100
# ends: merged
cat > /dev/null
cat > src/lib.rs <<'EOF'
//! A shop.

/// Adds all prices.
///
/// # Panics
///
/// Above a total of 100.
pub fn total(prices: &[u32]) -> u32 {
    let total = prices.iter().sum();
    assert!(total <= 100, "too much");
    total
}
EOF
cat > tests/limit.rs <<'EOF'
//! Totals have a limit.

use shop::total;

#[test]
#[should_panic(expected = "too much")]
fn limit() {
    total(&[101]);
}
EOF
git mv tests/total.rs tests/totals.rs
