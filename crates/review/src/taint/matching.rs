//! Regular expressions that prove a value harmless.

use super::args::Args;
use super::guard_names::is_constant_name;
use super::origin::Classes;
use super::tables::last_word;
use super::walk::Walker;
use crate::ir::{Arg, Const, ExprId, ExprKind};

/// Methods that ask whether a text fits an expression as a whole.
const WHOLE_MATCHING: [&str; 3] = ["fullmatch", "matches", "matchEntire"];

/// Functions that make an expression of its text.
const COMPILING: [&str; 3] = ["compile", "MustCompile", "toRegex"];

impl<'s> Walker<'_, 's, '_, '_> {
    /// Whether a call matches an expression that a whole value must fit.
    pub(super) fn matched(
        &mut self,
        base: Option<ExprId>,
        name: &str,
        args: &[Arg<'s>],
        holds: bool,
    ) -> bool {
        if !holds {
            return true;
        }
        if WHOLE_MATCHING.contains(&name)
            && let Some(subject) = self.wholly_matched(base, args)
        {
            self.mark_harmless(subject, Classes::ALL);
            return true;
        }
        let values: Vec<ExprId> = args.iter().map(|arg| arg.value).collect();
        let full = base.is_some_and(|base| {
            matches!(
                self.unit.expr(base),
                ExprKind::Name(_) | ExprKind::Const(_) | ExprKind::Field(..)
            )
        });
        let candidates: Vec<ExprId> = base.into_iter().chain(values).collect();
        if !full || !candidates.iter().any(|id| self.is_anchored(*id)) {
            return true;
        }
        for id in candidates {
            if !matches!(self.unit.expr(id), ExprKind::Const(_)) {
                self.mark_harmless(id, Classes::ALL);
            }
        }
        true
    }

    /// What has to fit a regular expression from its first character to its last,
    /// if that leaves out those that do harm: `text.matches("[a-z]+")`,
    /// `re.fullmatch("[a-z]+", text)`, `pattern.matcher(text).matches()`.
    fn wholly_matched(&mut self, base: Option<ExprId>, args: &[Arg<'s>]) -> Option<ExprId> {
        let unit = self.unit;
        if let Some(matcher) = base.map(|base| self.asked(base))
            && let ExprKind::Call { callee, args, .. } = unit.expr(matcher)
            && let (ExprKind::Field(pattern, "matcher"), [text]) = (unit.expr(*callee), &args[..])
        {
            let fits = match unit.expr(self.asked(*pattern)) {
                ExprKind::Name(_) => self.is_anchored(*pattern),
                _ => self.is_narrow(*pattern),
            };
            return fits.then_some(text.value);
        }
        let values = args.iter().map(|arg| arg.value);
        let sides: Vec<ExprId> = base.into_iter().chain(values).collect();
        let pattern = sides.iter().position(|side| self.is_narrow(*side))?;
        // Besides the expression and the text there may only be the module's name.
        let is_text = |at: &usize| *at != pattern && (args.len() == 1 || *at > 0);
        (0..sides.len()).find(is_text).map(|at| sides[at])
    }

    /// A regular expression that names the characters it takes, written here or
    /// where it is compiled.
    fn is_narrow(&mut self, id: ExprId) -> bool {
        let unit = self.unit;
        let mut written = id;
        if let ExprKind::Call { callee, args, .. } = unit.expr(self.asked(id)) {
            let compiles = match unit.expr(*callee) {
                ExprKind::Field(_, name) | ExprKind::Name(name) => COMPILING.contains(name),
                _ => false,
            };
            match args.first() {
                Some(arg) if compiles => written = arg.value,
                _ => return false,
            }
        }
        let silent = std::mem::replace(&mut self.silent, true);
        let value = self.eval(written);
        self.silent = silent;
        match &value.constant {
            Some(Const::Regex(text) | Const::Str(text)) => names_characters(text),
            _ => false,
        }
    }

    /// What a variable was set to, if that was remembered.
    fn asked(&self, id: ExprId) -> ExprId {
        match self.unit.expr(id) {
            ExprKind::Name(name) => self.scope.question(name).unwrap_or(id),
            _ => id,
        }
    }

    /// A regular expression with a beginning and an end.
    pub(super) fn is_anchored(&mut self, id: ExprId) -> bool {
        let silent = std::mem::replace(&mut self.silent, true);
        let value = self.eval(id);
        self.silent = silent;
        match &value.constant {
            Some(Const::Regex(text) | Const::Str(text)) => has_ends(text),
            // Compiled elsewhere, under a name that describes it, and not by a library.
            _ => match self.unit.expr(id) {
                ExprKind::Name(name) if !self.unit.imports.contains_key(name) => {
                    is_constant_name(name) || {
                        let lower = name.to_lowercase();
                        ["regex", "pattern", "valid", "safe", "allowed", "_re"]
                            .iter()
                            .any(|word| lower.contains(word))
                    }
                }
                _ => false,
            },
        }
    }
}

fn has_ends(regex: &str) -> bool {
    let begins = regex.starts_with('^') || regex.starts_with("\\A");
    let ends = ["$", "\\z", "\\Z"];
    begins && ends.iter().any(|end| regex.ends_with(end)) && !regex.contains(".*")
}

/// What a call makes of a text that it takes for a regular expression with a
/// beginning and an end. Of the others the method decides that matches them.
pub(super) fn compiled(path: &str, args: &Args<'_>) -> Option<Const> {
    let (of, name) = path.rsplit_once('.')?;
    let makes = COMPILING.contains(&name) && matches!(last_word(of), "re" | "regexp" | "Pattern");
    let text = args.positional(0).filter(|_| makes)?.text()?;
    has_ends(text).then(|| Const::Regex(text.into()))
}

/// Whether a regular expression lists the characters that it takes, rather than
/// taking any (`.`) or all but some (`[^/]`, `\S`). A list with both dot and slash
/// takes every path.
fn names_characters(regex: &str) -> bool {
    let mut characters = regex.chars();
    let mut in_set = false;
    let mut dot = false;
    let mut slash = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                if matches!(
                    characters.next(),
                    None | Some('S' | 'D' | 'W' | 'P' | 'H' | 'V')
                ) {
                    return false;
                }
            }
            '[' => {
                in_set = true;
                if characters.clone().next() == Some('^') {
                    return false;
                }
            }
            ']' => in_set = false,
            '.' if !in_set => return false,
            '.' => dot = true,
            '/' if in_set => slash = true,
            _ => {}
        }
    }
    let takes_paths = dot && slash;
    !regex.is_empty() && !takes_paths
}

#[cfg(test)]
mod tests {
    use super::names_characters;

    #[test]
    fn expressions_that_take_any_character_name_none() {
        for narrow in [
            "[a-z]+",
            "^\\d{4}-\\d{2}$",
            "(asc|desc)",
            "[a-z.]+",
            "\\w+\\.txt",
        ] {
            assert!(names_characters(narrow), "{narrow}");
        }
        for wide in [
            "", ".*", "[a-z]+.", "[^/]+", "\\S+", "a\\", "\\D", "[\\w./]+",
        ] {
            assert!(!names_characters(wide), "{wide}");
        }
    }
}
