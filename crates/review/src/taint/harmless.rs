//! What follows for other values when one is proven harmless.

use super::origin::{Classes, Root};
use super::tables::class_bit;
use super::walk::Walker;
use crate::ir::{ExprId, ExprKind};

/// Expressions nested deeper are not looked into.
const MAX_DEPTH: u32 = 8;

impl<'s> Walker<'_, 's, '_, '_> {
    /// Makes what an expression names harmless from here on.
    pub(super) fn mark_harmless(&mut self, id: ExprId, classes: Classes) {
        if classes == Classes::NONE {
            return;
        }
        self.check_kept(id, classes);
        let unit = self.unit;
        self.scope.guard(unit.text_of(id), classes);
        let mut at = id;
        let mut classes = classes;
        // `file.getCanonicalPath()` being checked checks `file`.
        for _ in 0..MAX_DEPTH {
            match unit.expr(at) {
                ExprKind::Name(name) => {
                    self.clean_with_kin(name, classes);
                    return;
                }
                ExprKind::Field(base, _) => {
                    // A check of one field does not cover the other fields, but
                    // a check of the host covers the address.
                    classes = Classes(classes.0 & location_classes().0);
                    at = *base;
                }
                ExprKind::Call { callee, args, .. } => {
                    match (unit.expr(*callee), args.as_slice()) {
                        (_, [arg]) => at = arg.value,
                        (ExprKind::Field(base, _), _) => at = *base,
                        _ => return,
                    }
                }
                _ => return,
            }
        }
    }

    /// Where a value goes to is often checked on a part of it that was taken
    /// out before: the host of an address, the absolute form of a path.
    fn clean_with_kin(&mut self, name: &'s str, classes: Classes) {
        let Some(value) = self.scope.variables.get(name) else {
            return;
        };
        let roots: Vec<Root> = value.taint.origins().iter().map(|o| o.root).collect();
        self.scope.clean(name, classes);
        let shared = Classes(classes.0 & location_classes().0);
        if shared == Classes::NONE {
            return;
        }
        let budget = self.budget;
        self.scope.variables.change_all(&mut |value| {
            let origins = value.taint.origins();
            if budget.spend(1)
                && !origins.is_empty()
                && origins.iter().all(|origin| roots.contains(&origin.root))
            {
                value.taint = value.taint.cleaned(shared);
            }
        });
    }
}

/// The classes that are about where something is.
pub(super) fn location_classes() -> Classes {
    class_bit("path-traversal")
        .with(class_bit("ssrf"))
        .with(class_bit("open-redirect"))
}
