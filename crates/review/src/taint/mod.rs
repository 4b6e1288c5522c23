//! Follows values from where they come in to where they do harm.
//!
//! Each function is walked once, statement by statement, with what is known of
//! every variable ([`value`]): where it comes from, what type it has, whether
//! it is constant. Branches on constants are not taken, the others are walked
//! apart and joined. A function that is called in the same file is walked first
//! and remembered as a [`walk::Summary`]: which parameters reach its result,
//! and which reach a sink. All that is specific to a language or framework is
//! in the rule files ([`tables`]).

mod args;
mod assign;
mod builtin;
mod call;
mod callback;
mod callee;
mod condition;
mod excuse;
mod expr;
mod flow;
mod fold;
mod guard;
mod guard_names;
mod harmless;
mod literal;
mod map;
mod matching;
mod operator;
mod origin;
mod params;
mod result;
mod scope;
mod sink;
mod tables;
mod trace;
mod types;
mod unchecked;
mod value;
mod walk;
mod wrapped;

pub(crate) use guard_names::says_insecure;

use crate::lower::lower;
use crate::report::Reporter;
use crate::source::Source;
use crate::tree_index::TreeIndex;

/// Reports what is found, and returns whether the file was walked to its end.
pub(crate) fn find(
    source: &Source<'_>,
    index: &TreeIndex<'_>,
    reporter: &mut Reporter<'_, '_>,
) -> bool {
    let unit = lower(source, index);
    let tables = tables::Tables::for_language(source.language);
    let mut walker = walk::Walker::new(&unit, tables, reporter, source.budget);
    walker.whole_file();
    unit.is_complete && source.budget.ended().is_none()
}
