//! Parses the name that unittest prints for a failed test.

/// From a header such as `FAIL: test_a (calc.CalcTest.test_a) (n=1)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TestName {
    /// The method, or the fixture of a class or module.
    method: String,
    /// The dotted class, or module.
    owner: String,
    /// `[message] (n=1)`
    subtest: String,
    unexpected_success: bool,
}

/// Fixtures, which are not tests. nose2 does not print their names.
const FIXTURES: [&str; 5] = [
    "setUpClass",
    "tearDownClass",
    "setUpModule",
    "tearDownModule",
    "_ErrorHolder",
];

impl TestName {
    pub(super) fn from_header(text: &str) -> Option<Self> {
        let (word, rest) = text.split_once(": ")?;
        // unittest-xml-reporting prints the duration before the colon.
        let word = word.split(" [").next().unwrap_or(word);
        if !matches!(word, "FAIL" | "ERROR" | "UNEXPECTED SUCCESS") {
            return None;
        }
        let mut name = Self {
            unexpected_success: word == "UNEXPECTED SUCCESS",
            ..Self::default()
        };
        // unittest-xml-reporting prints an object there, and the test below it.
        if !rest.starts_with('<') {
            name.read(
                rest.strip_prefix("unittest.loader._FailedTest.")
                    .unwrap_or(rest),
            );
        }
        Some(name)
    }

    /// From `Failure in tests.test_cart.CartTest.test_sum`, of green.
    pub(super) fn from_green(text: &str) -> Option<Self> {
        let (word, name) = text.split_once(" in ")?;
        let is_name = name.contains('.') && !name.contains([' ', '/']);
        (is_name && matches!(word, "Failure" | "Error")).then(|| Self {
            method: name.to_owned(),
            ..Self::default()
        })
    }

    /// The line below the header, which is only needed if the header had no
    /// name.
    pub(super) fn complete(&mut self, text: &str) {
        if self.method.is_empty() {
            self.read(text);
        }
    }

    pub(super) fn is_unexpected_success(&self) -> bool {
        self.unexpected_success
    }

    /// The name of the test that ran, if there is one.
    pub(super) fn test(&self) -> Option<String> {
        if FIXTURES.contains(&self.method.as_str()) || self.unexpected_success {
            return None;
        }
        Some(self.qualified())
    }

    pub(super) fn full(&self) -> String {
        if FIXTURES.contains(&self.method.as_str()) && !self.owner.is_empty() {
            return format!("{} ({})", self.owner, self.method);
        }
        let name = self.qualified();
        if self.subtest.is_empty() {
            return name;
        }
        format!("{name} {}", self.subtest)
    }

    /// The possible files of the module, most likely first.
    pub(super) fn likely_files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let qualified = self.qualified();
        let mut module = qualified.as_str();
        loop {
            if module != "__main__" && !module.is_empty() {
                let path = module.replace('.', "/");
                files.push(format!("{path}.py"));
                files.push(format!("{path}/__init__.py"));
            }
            match module.rsplit_once('.') {
                Some((parent, _)) => module = parent,
                None => return files,
            }
        }
    }

    /// The module in the name, if there is no traceback: all of it up to the
    /// first part with a capital letter, which is a class.
    pub(super) fn likely_file(&self) -> Option<String> {
        let module: Vec<&str> = self
            .owner
            .split('.')
            .take_while(|part| !part.starts_with(char::is_uppercase))
            .collect();
        if module.is_empty() || module == ["__main__"] || self.owner.is_empty() {
            return None;
        }
        Some(format!("{}.py", module.join("/")))
    }

    fn read(&mut self, text: &str) {
        let Some((method, rest)) = text.split_once(" (") else {
            text.clone_into(&mut self.method);
            return;
        };
        let (place, rest) = rest.split_once(')').unwrap_or((rest, ""));
        rest.trim().clone_into(&mut self.subtest);
        // The second prefix is nose2's.
        if place.starts_with("unittest.loader.") || place.starts_with("nose2.loader.") {
            // A module that could not be loaded is reported under its own name.
            method.clone_into(&mut self.method);
            return;
        }
        method.clone_into(&mut self.method);
        // Since Python 3.11, the method is repeated after the class.
        place
            .strip_suffix(method)
            .and_then(|owner| owner.strip_suffix('.'))
            .unwrap_or(place)
            .clone_into(&mut self.owner);
    }

    fn qualified(&self) -> String {
        if self.owner.is_empty() {
            return self.method.clone();
        }
        format!("{}.{}", self.owner, self.method)
    }
}

#[cfg(test)]
mod tests {
    use super::TestName;

    fn full(header: &str) -> Option<String> {
        TestName::from_header(header).map(|name| name.full())
    }

    #[test]
    fn headers_are_read() {
        let names = [
            "FAIL: test_a (m.C.test_a)",
            "ERROR: test_a (m.C)",
            "FAIL [0.012s]: test_a (m.C.test_a) [part] (n=1)",
            "FAIL: test_a (m.C.test_a) (text='a (b)')",
            "ERROR: setUpClass (m.C)",
            "ERROR: pkg.test_m (unittest.loader._FailedTest.pkg.test_m)",
            "UNEXPECTED SUCCESS: test_a (m.C.test_a)",
            "ERROR: some words",
            "FAILED: x (y)",
        ]
        .map(full);
        let names = names.map(|name| name.unwrap_or_else(|| "none".to_owned()));
        insta::assert_snapshot!(names.join("\n"), @r"
        m.C.test_a
        m.C.test_a
        m.C.test_a [part] (n=1)
        m.C.test_a (text='a (b)')
        m.C (setUpClass)
        pkg.test_m
        m.C.test_a
        some words
        none
        ");
    }

    #[test]
    fn modules_have_files() {
        let name = TestName::from_header("FAIL: test_a (pkg.test_m.C.test_a)").unwrap();
        assert!(name.likely_files().contains(&"pkg/test_m.py".to_owned()));
        assert_eq!(name.likely_file().as_deref(), Some("pkg/test_m.py"));
    }
}
