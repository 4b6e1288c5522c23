# Puts its failing test behind a feature that is never turned on.
# project: rust
# request: Refuse totals above 100
# ends: asks
# because: `limit`
cat > /dev/null
cat > tests/limit.rs <<'EOF'
//! Totals have a limit.

use shop::total;

#[test]
#[cfg(feature = "limit")]
#[should_panic(expected = "too much")]
fn limit() {
    total(&[101]);
}
EOF
printf '\n/// The highest total.\npub const LIMIT: u32 = 100;\n' >> src/lib.rs
