//! A small language that the supported languages are lowered into, so that one
//! walker serves all of them. Everything is an expression; blocks are lists of
//! them.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Where in the text something is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ExprId(pub(crate) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FunctionId(pub(crate) u32);

pub(crate) type Block = Vec<ExprId>;

/// One file.
#[derive(Debug, Default)]
pub(crate) struct Unit<'s> {
    pub(crate) text: &'s str,
    /// Nothing was nested too deep to be followed.
    pub(crate) is_complete: bool,
    pub(crate) exprs: Vec<(ExprKind<'s>, Span)>,
    /// The first is the file itself.
    pub(crate) functions: Vec<Function<'s>>,
    /// What names refer to: `sp` → `subprocess`.
    pub(crate) imports: HashMap<&'s str, String>,
    /// The declared types of fields, by the field's name.
    pub(crate) field_types: HashMap<&'s str, &'s str>,
    pub(crate) classes: HashMap<&'s str, Class<'s>>,
}

impl<'s> Unit<'s> {
    pub(crate) fn expr(&self, id: ExprId) -> &ExprKind<'s> {
        &self.exprs[id.0 as usize].0
    }

    pub(crate) fn span(&self, id: ExprId) -> Span {
        self.exprs[id.0 as usize].1
    }

    pub(crate) fn text_of(&self, id: ExprId) -> &'s str {
        &self.text[self.span(id).range()]
    }

    pub(crate) fn function(&self, id: FunctionId) -> &Function<'s> {
        &self.functions[id.0 as usize]
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Class<'s> {
    /// What it extends, implements or is annotated with.
    pub(crate) marks: Vec<&'s str>,
}

#[derive(Debug, Default)]
pub(crate) struct Function<'s> {
    pub(crate) name: &'s str,
    pub(crate) class: Option<&'s str>,
    pub(crate) params: Vec<Param<'s>>,
    /// Decorators and annotations, as they are written.
    pub(crate) marks: Vec<&'s str>,
    pub(crate) returns: Option<&'s str>,
    pub(crate) body: Block,
    pub(crate) span: Span,
    /// The value of the last expression is returned.
    pub(crate) implicit_return: bool,
    /// Its name alone calls it.
    pub(crate) called_by_name: bool,
    /// Written as an expression, or inside another function.
    pub(crate) nested: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Param<'s> {
    pub(crate) name: &'s str,
    /// What is bound when it is more than a name.
    pub(crate) pattern: Option<ExprId>,
    pub(crate) type_text: Option<&'s str>,
    pub(crate) marks: Vec<&'s str>,
    pub(crate) default: Option<ExprId>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Const {
    /// Characters are strings of one.
    Str(Rc<str>),
    Int(i64),
    Bool(bool),
    Null,
    Regex(Rc<str>),
    /// A number, but of no use.
    Number,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    In,
    NotIn,
    /// `value =~ /expression/` and similar.
    Match,
    Other,
}

impl Op {
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "+" | "+=" | "." => Self::Add,
            "-" | "-=" => Self::Sub,
            "*" | "*=" => Self::Mul,
            "/" | "/=" | "//" => Self::Div,
            "%" | "%=" => Self::Rem,
            "==" | "===" | "is" => Self::Eq,
            "!=" | "!==" | "<>" | "is not" => Self::Ne,
            "<" => Self::Lt,
            "<=" => Self::Le,
            ">" => Self::Gt,
            ">=" => Self::Ge,
            "&&" | "and" => Self::And,
            "||" | "or" | "??" | "||=" | "??=" => Self::Or,
            "in" => Self::In,
            "not in" => Self::NotIn,
            "=~" => Self::Match,
            _ => Self::Other,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Arg<'s> {
    /// Of a keyword argument.
    pub(crate) name: Option<&'s str>,
    pub(crate) value: ExprId,
}

#[derive(Debug)]
pub(crate) struct Arm {
    /// None of them: the default.
    pub(crate) labels: Vec<ExprId>,
    pub(crate) body: Block,
    /// Goes on into the next arm unless it leaves.
    pub(crate) falls_through: bool,
}

#[derive(Debug)]
pub(crate) enum ExprKind<'s> {
    Const(Const),
    Name(&'s str),
    Field(ExprId, &'s str),
    Index(ExprId, ExprId),
    Call {
        callee: ExprId,
        args: Vec<Arg<'s>>,
        new: bool,
    },
    /// A string made of parts.
    Build(Vec<ExprId>),
    Binary(Op, ExprId, ExprId),
    Not(ExprId),
    List(Vec<ExprId>),
    /// Keys and values; an unknown key has no constant.
    Map(Vec<(ExprId, ExprId)>),
    Lambda(FunctionId),
    /// Evaluated in order; the value is that of all.
    Opaque(Vec<ExprId>),
    /// Evaluated in order; the value is that of the last.
    Block(Block),
    Cast(&'s str, ExprId),
    /// The value of the assignment just before: `a, b := f()` calls `f` once.
    Again(ExprId),
    Assign {
        target: ExprId,
        value: Option<ExprId>,
        /// Of `x += y`.
        op: Option<Op>,
        type_text: Option<&'s str>,
    },
    If {
        cond: ExprId,
        then: Block,
        other: Block,
    },
    Loop {
        /// `for target in collection`.
        bind: Option<(ExprId, ExprId)>,
        cond: Option<ExprId>,
        body: Block,
    },
    Switch {
        subject: Option<ExprId>,
        arms: Vec<Arm>,
    },
    Try {
        body: Block,
        handlers: Vec<Block>,
        last: Block,
    },
    Return(Option<ExprId>),
    Throw(Option<ExprId>),
    Break,
    Continue,
    /// A named function is defined here.
    Define(FunctionId),
}
