#[allow(unconditional_recursion)]
pub fn deep(n: u64) -> u64 { n + deep(n + 1) }

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {} // PASSES

    #[test]
    fn overflows() {
        assert!(super::deep(1) > 0); // FAILS tests::overflows
    }

    #[test]
    fn waits() {
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
}
