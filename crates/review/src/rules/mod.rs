//! Rules as data: what a rule file says, and where it is found.
//!
//! ```toml
//! class = "sql-injection"         # names a default in rules/classes.toml: cwe, severity, what, why, remedy
//! languages = ["python"]          # only in folders that are not a language's
//! kind = "quality"                # security unless said
//! severity = "high"               # these five override the class's defaults
//! cwe = 89
//! what = "…"
//! why = "…"
//! remedy = "…"
//!
//! [[sink]]                        # where tainted values do harm
//! calls = ["sqlite3.Cursor.execute"]
//! methods = ["execute"]           # where the type of the receiver is not known …
//! on = ["cursor", "conn"]         # … but its name contains one of these
//! args = ["0", "sql"]             # positions, names, "*", "1.." for all from one, "1..--" up to `--`
//! unproven = "built"              # also without a source, as medium: "built" strings, or anything "dynamic"
//! where = [{ arg = "shell", matches = "^true$" }]   # arguments by position or name; also `not_matches` and
//!                                 # `is` = "absent", "present", "constant", "dynamic", "built", "literal";
//!                                 # `text` matches the argument as it is written
//! unless = ["text/plain"]         # not in functions that contain one of these …
//! despite = ["text/html"]         # … unless they also contain one of these
//! [[sink]]                        # the same without a call:
//! named = "(?i)token"             # given to a variable, key or argument of such a name, or returned from such a function
//! [[sink]]
//! stored_in = ["flask.session", "*cookie"]   # put into a collection of this path, or with this in its name …
//! args = ["key", "value"]         # … as one of these
//!
//! [[call]]                        # calls that are wrong by themselves
//! calls = ["hashlib.new"]
//! where = [{ arg = "0", matches = "(?i)^md5$" }]
//! within = "(?i)password"         # only in functions of such a name; `requires` asks the whole file
//! unless_asked = true             # not where a condition around it speaks of it
//!
//! [[pattern]]                     # code of a shape; $X is any one thing, $$$X any number
//! code = "assert($X, $$$REST)"
//! where = [{ name = "X", matches = "^\\(" }]
//! inside = ["for_statement"]      # kinds of the grammar around it; also `not_inside`
//! [[pattern]]
//! node = "method_declaration"     # instead of code: a kind of the grammar, whose text is $NODE
//! where = [{ name = "NODE", matches = "…" }]
//!
//! [[assign]]                      # names that are given a literal
//! name = "(?i)password$"
//! not_matches = "^$"
//!
//! check = "swallowed-error"       # code of a shape that only code can tell; see `quality`
//!
//! [[bad]]
//! code = "…"                      # must be found (on the lines that say `BAD`, if any does)
//! [[good]]
//! code = "…"                      # must not
//! ```
//!
//! Besides, tables without a class of their own (`frameworks/*.toml`) say what
//! the taint walker should know of a framework: `[[source]]`, `[[parameter]]`,
//! `[[returns]]`, `[[becomes]]`, `[[propagator]]`, `[[sanitizer]]`; see [`format`].
//! Rules with a class may have them as well.
//!
//! Names of calls are written as one would after resolving imports, separated
//! by dots in every language: `os.path.join`, `Statement.executeQuery`,
//! `std.process.Command`. A name with a dot also matches the end of a longer
//! one; a name without matches only itself.

pub mod format;
mod load;

pub use load::{Rule, RuleSet, every_rule, rule_files};
