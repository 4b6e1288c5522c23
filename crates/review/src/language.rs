//! The languages that are read, and their grammars.

use tree_sitter::Parser;

/// A grammar. TypeScript and TSX differ in theirs, and share JavaScript's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    JavaScript,
    TypeScript,
    Tsx,
    Python,
    Go,
    Rust,
    Ruby,
    Java,
}

impl Language {
    pub const ALL: [Self; 8] = [
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Python,
        Self::Go,
        Self::Rust,
        Self::Ruby,
        Self::Java,
    ];

    /// By the name of the file.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let Some((_, extension)) = name.rsplit_once('.') else {
            return matches!(name, "Rakefile" | "Gemfile" | "Guardfile" | "Vagrantfile")
                .then_some(Self::Ruby);
        };
        Some(match extension {
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "py" | "pyw" | "pyi" => Self::Python,
            "go" => Self::Go,
            "rs" => Self::Rust,
            "rb" | "rake" | "ru" | "gemspec" => Self::Ruby,
            "java" => Self::Java,
            _ => return None,
        })
    }

    /// The folder of its rules, which is what rule ids begin with.
    pub const fn rules(self) -> &'static str {
        match self {
            Self::JavaScript | Self::TypeScript | Self::Tsx => "javascript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Ruby => "ruby",
            Self::Java => "java",
        }
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
        }
    }

    pub(crate) fn parser(self) -> Parser {
        let mut parser = Parser::new();
        parser
            .set_language(&self.grammar())
            .expect("the grammar crates are built for this version of tree-sitter");
        parser
    }
}
