//! One module per toolchain.

mod javascript {
    use std::fs;
    use std::os::unix::fs::symlink;

    use baton_testkit::Sandbox;

    use crate::testing::equipment::{peer, tools};
    use crate::validation::toolchain::{Complaint, Toolchain};

    pub(super) fn equip(sandbox: &mut Sandbox) -> Result<(), String> {
        tools(sandbox, &["node", "npm", "npx"])?;
        let packages = peer("javascript-style/node_modules")?;
        let folder = sandbox.folder("project/node_modules");
        for entry in fs::read_dir(packages).unwrap() {
            let path = entry.unwrap().path();
            symlink(&path, folder.join(path.file_name().unwrap())).unwrap();
        }
        sandbox.set("npm_config_update_notifier", "false");
        Ok(())
    }

    pub(super) fn remove(sandbox: &mut Sandbox) {
        fs::remove_dir_all(sandbox.path("project/node_modules")).unwrap();
        sandbox.set("npm_config_cache", sandbox.path("empty-cache"));
    }

    const CLEAN: &str = "\
export function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += item;
  }
  return sum;
}
";

    /// prettier, eslint and the TypeScript compiler over JavaScript.
    const ESLINT: Toolchain = Toolchain {
        language: "typescript",
        equip,
        files: &[
            (
                "package.json",
                r#"{"name": "ledger", "type": "module", "private": true}"#,
            ),
            (
                "eslint.config.mjs",
                "import js from \"@eslint/js\";\n\nexport default [js.configs.recommended, { rules: { \"no-var\": \"error\" } }];\n",
            ),
            (".prettierrc", "{}\n"),
            (
                "tsconfig.json",
                r#"{"compilerOptions": {"allowJs": true, "checkJs": true, "noEmit": true, "strict": false, "target": "es2022", "module": "esnext", "types": []}, "include": ["src"]}"#,
            ),
        ],
        file: "src/total.js",
        clean: CLEAN,
        untidy: "export function total(items) {\n  var sum = 0\n  for (const item of items) { sum += item }\n  return sum\n}\n",
        wrong: "export function total(items) {\n  const rate = 2;\n  return items.length;\n}\n",
        complaint: Complaint {
            told: "'rate' is assigned a value but never used. (no-unused-vars)",
            line: 2,
            rule: Some("no-unused-vars"),
        },
        broken: "export function total(items {\n  return items;\n}\n",
        stops_at: 1,
        formatter: "npx prettier --write .",
        linter: "npx eslint .",
        build: "npx --no-install tsc --noEmit",
        remove,
        advice: "npm install --save-dev prettier",
    };

    mod eslint {
        all_cases!(super::ESLINT);
    }

    const BIOME: Toolchain = Toolchain {
        language: "javascript",
        files: &[
            (
                "package.json",
                r#"{"name": "ledger", "type": "module", "private": true}"#,
            ),
            ("biome.json", r#"{"formatter": {"indentStyle": "space"}}"#),
        ],
        untidy: "export function total(items) {\n  let sum = 0\n  for (const item of items) { sum += item }\n  return sum\n}\n",
        wrong: "export function total(items) {\n  debugger;\n  return items.length;\n}\n",
        complaint: Complaint {
            told: "unexpected use of the debugger statement",
            line: 2,
            rule: Some("lint/suspicious/noDebugger"),
        },
        formatter: "npx @biomejs/biome format --write .",
        linter: "npx @biomejs/biome lint .",
        build: "",
        advice: "npm install --save-dev @biomejs/biome",
        ..ESLINT
    };

    mod biome {
        all_cases!(super::BIOME);
    }
}

mod python {
    use baton_testkit::Sandbox;

    use crate::testing::equipment::{peer, without};
    use crate::validation::toolchain::{Complaint, Toolchain};

    fn equip(sandbox: &mut Sandbox) -> Result<(), String> {
        for tool in ["black", "ruff"] {
            // Scripts in an environment know where it was made, not where it is.
            let python = peer("python-style/bin/python")?;
            sandbox.fake(
                tool,
                &format!("exec '{}' -m {tool} \"$@\"", python.display()),
            );
        }
        Ok(())
    }

    const BLACK: Toolchain = Toolchain {
        language: "python",
        equip,
        files: &[(
            "pyproject.toml",
            "[project]\nname = \"ledger\"\n\n[tool.ruff.lint]\nselect = [\"F\"]\n\n[tool.black]\n",
        )],
        file: "ledger/total.py",
        clean: "def total(items):\n    return sum(items)\n",
        untidy: "import os\ndef total(items) :\n    return sum( items )\n",
        wrong: "def total(items):\n    return sum(itmes)\n",
        complaint: Complaint {
            told: "F821 Undefined name `itmes`",
            line: 2,
            rule: Some("F821"),
        },
        broken: "def total(items:\n    return sum(items)\n",
        stops_at: 2,
        formatter: "black .",
        linter: "ruff check .",
        build: "",
        remove: |sandbox| {
            without(sandbox, "black");
            without(sandbox, "ruff");
        },
        advice: "pip install black",
    };

    mod black {
        all_cases!(super::BLACK);
    }

    const RUFF: Toolchain = Toolchain {
        files: &[("ruff.toml", "lint.select = [\"F\"]\n"), ("setup.py", "")],
        formatter: "ruff format .",
        advice: "pip install ruff",
        ..BLACK
    };

    mod ruff {
        all_cases!(super::RUFF);
    }
}

mod go {
    use baton_testkit::Sandbox;

    use crate::testing::equipment::{lasting_folder, tools, without};
    use crate::validation::toolchain::{Complaint, Toolchain};

    fn equip(sandbox: &mut Sandbox) -> Result<(), String> {
        tools(sandbox, &["go", "gofmt"])?;
        sandbox.set("GOCACHE", lasting_folder("go-cache"));
        sandbox.set("GOPROXY", "off");
        sandbox.set("GOTOOLCHAIN", "local");
        sandbox.set("CGO_ENABLED", "0");
        Ok(())
    }

    const GO: Toolchain = Toolchain {
        language: "go",
        equip,
        files: &[("go.mod", "module example.com/ledger\n\ngo 1.19\n")],
        file: "total.go",
        clean: "package ledger\n\nfunc Total(a int, b int) int {\n\treturn a + b\n}\n",
        untidy: "package ledger\nfunc Total(a int,b int) int {\n  return a+b\n}\n",
        wrong: "package ledger\n\nimport \"fmt\"\n\nfunc Total(a int) {\n\tfmt.Printf(\"%s\\n\", a)\n}\n",
        complaint: Complaint {
            told: "format %s has arg a of wrong type int",
            line: 6,
            rule: None,
        },
        broken: "package ledger\n\nfunc Total(a int {\n}\n",
        stops_at: 3,
        formatter: "go fmt ./...",
        linter: "go vet ./...",
        build: "go build ./...",
        remove: |sandbox| {
            without(sandbox, "go");
            without(sandbox, "gofmt");
        },
        advice: "https://go.dev/dl",
    };

    all_cases!(GO);
}

mod rust {
    use crate::demo::with_cargo;
    use crate::validation::toolchain::{Complaint, Toolchain};

    const CARGO: Toolchain = Toolchain {
        language: "rust",
        equip: |sandbox| {
            *sandbox = with_cargo();
            Ok(())
        },
        files: &[(
            "Cargo.toml",
            "[package]\nname = \"ledger\"\nedition = \"2024\"\n\n[lints.clippy]\nall = \"deny\"\n",
        )],
        file: "src/lib.rs",
        clean: "pub fn total(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
        untidy: "pub fn total(a: u32,b: u32) -> u32 {\n  return a + b;\n}\n",
        wrong: "pub fn total(a: u32) -> bool {\n    a == a\n}\n",
        complaint: Complaint {
            told: "equal expressions as operands to `==`",
            line: 2,
            rule: Some("clippy::eq_op"),
        },
        broken: "pub fn total(a: u32 -> u32 {\n    a\n}\n",
        stops_at: 3,
        formatter: "cargo fmt",
        linter: "cargo clippy",
        build: "cargo build",
        remove: |sandbox| {
            let bin = sandbox.bin();
            sandbox.set("PATH", bin);
        },
        advice: "rustup component add rustfmt",
    };

    all_cases!(CARGO);
}

mod ruby {
    use crate::testing::equipment::{tools, without};
    use crate::validation::toolchain::{Complaint, Toolchain};

    const RUBOCOP: Toolchain = Toolchain {
        language: "ruby",
        equip: |sandbox| tools(sandbox, &["ruby", "rubocop"]),
        files: &[
            ("Gemfile", "# frozen_string_literal: true\n"),
            (
                ".rubocop.yml",
                "AllCops:\n  NewCops: disable\n  SuggestExtensions: false\n",
            ),
        ],
        file: "lib/total.rb",
        clean: "# frozen_string_literal: true\n\ndef total(items)\n  items.sum\nend\n",
        untidy: "# frozen_string_literal: true\n\ndef total( items )\n    return items.sum\nend\n",
        wrong: "# frozen_string_literal: true\n\ndef total(items)\n  rate = 2\n  items.sum\nend\n",
        complaint: Complaint {
            told: "Useless assignment to variable - `rate`. (Lint/UselessAssignment)",
            line: 4,
            rule: Some("Lint/UselessAssignment"),
        },
        broken: "# frozen_string_literal: true\n\ndef total(items\n  items.sum\nend\n",
        stops_at: 4,
        formatter: "rubocop -a",
        linter: "rubocop",
        build: "",
        remove: |sandbox| without(sandbox, "rubocop"),
        advice: "gem install rubocop",
    };

    all_cases!(RUBOCOP);
}
