# Changes a project that has no tests, and adds none.
# project: rust_untested
# request: Refuse totals above 100
# ends: asks
# because: no test was run here, so nothing proves the change
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
