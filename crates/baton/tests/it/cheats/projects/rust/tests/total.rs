//! Totals, as a shop needs them.

use shop::total;

#[test]
fn two() {
    assert_eq!(total(&[1, 2]), 3);
}

#[test]
fn none() {
    assert_eq!(total(&[]), 0);
}
