//! The shape of a rule file.

use serde::Deserialize;

use crate::finding::{Kind, Severity};

/// A whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleFile {
    pub languages: Vec<String>,
    pub class: Option<String>,
    pub kind: Kind,
    pub severity: Option<Severity>,
    pub cwe: Option<u32>,
    pub what: Option<String>,
    pub why: Option<String>,
    pub remedy: Option<String>,
    pub source: Vec<Source>,
    pub parameter: Vec<Parameter>,
    pub returns: Vec<Returns>,
    pub becomes: Vec<Becomes>,
    pub propagator: Vec<Propagator>,
    pub sanitizer: Vec<Sanitizer>,
    pub sink: Vec<Sink>,
    pub call: Vec<Call>,
    pub assign: Vec<Assign>,
    pub pattern: Vec<Pattern>,
    /// A check that is written in code, by its name.
    pub check: Option<String>,
    pub bad: Vec<Example>,
    pub good: Vec<Example>,
}

/// The defaults of a class, unless a rule overrides them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassText {
    pub cwe: Option<u32>,
    pub severity: Severity,
    pub what: String,
    pub why: String,
    pub remedy: String,
}

/// Who can choose the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Anyone who can reach the program over a network.
    #[default]
    Remote,
    /// The user who starts the program or writes its files.
    Local,
}

/// Values that come from outside.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The result of these calls.
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub on: Vec<String>,
    /// Reading these: `flask.request.args`.
    #[serde(default)]
    pub fields: Vec<String>,
    /// What these calls fill in, by position: `json.Unmarshal(body, &value)`.
    #[serde(default)]
    pub fills: Vec<String>,
    #[serde(default)]
    pub origin: Origin,
    /// Classes for which nothing from here does harm: no link makes a visitor's
    /// browser send a header of the attacker's choice.
    #[serde(default)]
    pub not_for: Vec<String>,
    /// Only for these does it do harm: a stack trace is a secret, but no attack.
    #[serde(default)]
    pub only_for: Vec<String>,
    /// Only as free as the route of the handler: fixed if that has no placeholder.
    #[serde(default)]
    pub from_route: bool,
}

/// What is known of the parameters of functions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Parameter {
    /// Parameters of these names …
    pub names: Vec<String>,
    /// … or declared with these types …
    pub types: Vec<String>,
    /// … or with these annotations …
    pub annotations: Vec<String>,
    /// … or of functions with these decorators or annotations …
    pub decorators: Vec<String>,
    /// … or of functions in classes that extend these, or are annotated with these.
    pub classes: Vec<String>,
    /// … or of functions of these names …
    pub functions: Vec<String>,
    /// … or of functions given to these calls.
    pub given_to: Vec<String>,
    /// Only at these positions; all, if empty.
    pub at: Vec<usize>,
    /// Then they have this type …
    pub is: Option<String>,
    /// … or are a source themselves.
    pub source: bool,
    pub origin: Origin,
}

/// The type of what a call returns, so that methods on it are known.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returns {
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub on: Vec<String>,
    /// Reading these fields gives the type as well.
    #[serde(default)]
    pub fields: Vec<String>,
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// "=" is the type of the receiver, "0" that of the first argument.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// Calls that make their receiver another type: a parser configured to refuse
/// document types becomes a type that no rule knows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Becomes {
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub on: Vec<String>,
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// "=" means the last word of the previous type.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// How taint moves through a call. Calls that are not listed pass the taint of
/// their receiver and arguments on to their result.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Propagator {
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub on: Vec<String>,
    /// Only from these arguments; "self" is the receiver. Empty: from nothing.
    #[serde(default)]
    pub from: Vec<String>,
    /// Undoes an encoding, and what was hidden by it does harm again.
    #[serde(default)]
    pub decodes: bool,
    /// To "result", "self" or an argument.
    #[serde(default = "to_result")]
    pub to: String,
}

fn to_result() -> String {
    "result".to_owned()
}

/// Calls whose result is harmless for some classes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sanitizer {
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub on: Vec<String>,
    /// In a class's file that class is meant if none is named; "*" is all.
    #[serde(default)]
    pub classes: Vec<String>,
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// The call answers yes or no, and "yes" makes this argument harmless.
    pub guards: Option<String>,
}

/// Where tainted values do harm.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub on: Vec<String>,
    /// Assignments to these: `*.innerHTML`.
    #[serde(default)]
    pub assigns: Vec<String>,
    /// Returning from functions with these decorators or annotations.
    #[serde(default)]
    pub returned_from: Vec<String>,
    /// Giving a value to a variable, field, key or argument whose name matches
    /// this regular expression, or returning it from a function of such a name.
    pub named: Option<String>,
    /// `session[key] = value`, by the path of the collection or, after a `*`,
    /// by a part of its name; the arguments are then "key" and "value".
    #[serde(default)]
    pub stored_in: Vec<String>,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    pub unproven: Option<Unproven>,
    /// Not in functions that contain one of these …
    #[serde(default)]
    pub unless: Vec<String>,
    /// … but still if they also contain one of these.
    #[serde(default)]
    pub despite: Vec<String>,
    /// Overrides the rule's for this sink.
    pub severity: Option<Severity>,
    /// Does no harm yet: a check of the result, before it is used, is in time.
    #[serde(default)]
    pub checked_later: bool,
}

/// What is suspicious even without a proven source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unproven {
    /// A string put together from pieces that are not all constant.
    Built,
    /// Anything that is not constant.
    Dynamic,
}

/// Calls that are wrong by themselves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    #[serde(default)]
    pub calls: Vec<String>,
    #[serde(default)]
    pub methods: Vec<String>,
    #[serde(default)]
    pub on: Vec<String>,
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// Not in functions that contain one of these.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Not where a condition or a name around it shows that it is intended.
    #[serde(default)]
    pub unless_asked: bool,
    /// Only in files that this regular expression matches …
    pub requires: Option<String>,
    /// … or in functions whose names it matches.
    pub within: Option<String>,
    pub severity: Option<Severity>,
}

/// Assignments, fields of literals and default values that are wrong by themselves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assign {
    /// A regular expression for the name that is assigned to.
    pub name: String,
    /// A regular expression for the constant.
    pub matches: Option<String>,
    pub not_matches: Option<String>,
    /// Only if the file imports or names one of these.
    #[serde(default)]
    pub uses: Vec<String>,
    /// Not where a condition or a name around it shows that it is intended.
    #[serde(default)]
    pub unless_asked: bool,
    pub severity: Option<Severity>,
}

/// What must hold of an argument, or of a part of a pattern.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Condition {
    /// An argument's position or name, "result of receiver" not included. Names
    /// also find keys of a literal object among the arguments, `1.Secure` is a
    /// field of one and `0.1` the second item of a list; "self" is the receiver.
    pub arg: Option<String>,
    /// A `$NAME` of a pattern, without the dollar.
    pub name: Option<String>,
    /// The constant (or, in patterns, the text) is matched by this.
    pub matches: Option<String>,
    pub not_matches: Option<String>,
    pub is: Option<State>,
    /// The argument as it is written is matched by this: what names say of it.
    pub text: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Absent,
    Present,
    Constant,
    Dynamic,
    Built,
    /// Put together in this function, so that all its fields are known.
    Literal,
}

/// Code of a shape.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    #[serde(default)]
    pub code: String,
    /// Instead of code: any node of this kind of the grammar, as `$NODE`.
    #[serde(default)]
    pub node: String,
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// Only inside nodes of one of these kinds (of the grammar) …
    #[serde(default)]
    pub inside: Vec<String>,
    /// … and inside none of these.
    #[serde(default)]
    pub not_inside: Vec<String>,
    /// Not where a condition or a name around it shows that it is intended.
    #[serde(default)]
    pub unless_asked: bool,
    pub severity: Option<Severity>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub code: String,
    /// What the file would be called; the language's usual name by default.
    pub path: Option<String>,
    /// The file before the change, where that matters.
    pub before: Option<String>,
}
