//! Values that were built but do no harm before they are used, and may be
//! checked until then: `new File(folder, name)`.

use super::origin::{Classes, Root};
use super::tables::Sink;
use super::value::Value;
use super::walk::Walker;
use crate::ir::{ExprId, FunctionId, Span};

/// A function with more is reported on as it is walked.
const MAX_KEPT: usize = 64;

pub(super) struct Unchecked {
    function: FunctionId,
    sink: &'static Sink,
    value: Value,
    at: Span,
}

impl Walker<'_, '_, '_, '_> {
    /// Waits with a report until the function ends.
    pub(super) fn keep_unchecked(&mut self, sink: &'static Sink, value: &Value, at: Span) {
        // What is walked silently is walked again.
        if self.silent || value.deep_taint().is_none() {
            return;
        }
        if self.unchecked.len() >= MAX_KEPT {
            self.does_harm(sink, value, at);
            return;
        }
        self.unchecked.push(Unchecked {
            function: self.function,
            sink,
            value: value.clone(),
            at,
        });
    }

    /// A check of an expression is one of all that it was made of.
    pub(super) fn check_kept(&mut self, checked: ExprId, classes: Classes) {
        if self.unchecked.is_empty() {
            return;
        }
        let silent = std::mem::replace(&mut self.silent, true);
        let taint = self.eval(checked).deep_taint();
        self.silent = silent;
        let roots: Vec<Root> = taint.origins().iter().map(|origin| origin.root).collect();
        self.unchecked.retain(|kept| {
            let taint = kept.value.deep_taint();
            let mut harmful = taint.harmful(kept.sink.class);
            !classes.contains(kept.sink.class)
                || harmful.any(|origin| !roots.contains(&origin.root))
        });
    }

    /// Nothing in the function has checked these.
    pub(super) fn report_unchecked(&mut self) {
        let function = self.function;
        let (ours, others) = std::mem::take(&mut self.unchecked)
            .into_iter()
            .partition(|kept| kept.function == function);
        self.unchecked = others;
        let ours: Vec<Unchecked> = ours;
        for kept in ours {
            self.does_harm(kept.sink, &kept.value, kept.at);
        }
    }
}
