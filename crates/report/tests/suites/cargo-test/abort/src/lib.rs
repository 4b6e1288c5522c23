#[cfg(test)]
mod tests {
    #[test]
    fn adds() {} // PASSES

    #[test]
    fn aborts() {
        std::thread::sleep(std::time::Duration::from_millis(300));
        std::process::abort(); // FAILS tests::aborts
    }
}
