//! Methods that mean the same in every language: collections and string builders.

use std::rc::Rc;

use super::args::Args;
use super::callee::Callee;
use super::operator::{add, appended_taint};
use super::value::{Shape, Value};
use super::walk::Walker;
use crate::ir::Const;

/// Calls that put strings together.
pub(super) fn builds(name: &str) -> bool {
    matches!(
        name,
        "format"
            | "Sprintf"
            | "sprintf"
            | "formatted"
            | "concat"
            | "Sprint"
            | "Sprintln"
            | "append"
            | "String.format"
            | "format_map"
            | "substitute"
            | "safe_substitute"
            | "vformat"
    )
}

/// Functions of other files whose names promise that markup is made harmless:
/// `escape_html`, `encodeForHTML`, `sanitizeHtml`.
pub(super) fn escapes_html(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.contains("html")
        && !lower.contains("unescape")
        && ["escape", "encode", "saniti"]
            .iter()
            .any(|verb| lower.contains(verb))
}

/// Calls after which nothing follows.
pub(super) fn never_returns(callee: &Callee<'_>) -> bool {
    let path = callee.path.as_deref().unwrap_or(callee.name);
    matches!(
        path,
        "abort"
            | "flask.abort"
            | "sys.exit"
            | "exit"
            | "quit"
            | "os._exit"
            | "process.exit"
            | "panic"
            | "log.Fatal"
            | "log.Fatalf"
            | "log.Panic"
            | "os.Exit"
            | "panic!"
            | "bail!"
            | "unreachable!"
            | "todo!"
            | "raise"
            | "halt"
            | "System.exit"
            | "next.navigation.notFound"
            | "std.process.exit"
            | "process.abort"
    )
}

/// An empty collection of the kind that the type's name gives.
pub(super) fn new_collection(path: &str) -> Option<Value> {
    let bare = path.split('<').next().unwrap_or(path);
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| bare.ends_with(suffix));
    if ends(&["List", "Vector", "Deque", "Queue", "Stack", "Array", "Vec"]) {
        return Some(Value::list(Vec::new()));
    }
    if ends(&["Map", "Hashtable", "Properties", "Dictionary"]) {
        return Some(Value::map());
    }
    None
}

/// What strings are put together in.
pub(super) fn is_string_builder(path: &str) -> bool {
    path.ends_with("StringBuilder") || path.ends_with("StringBuffer")
}

/// The result of a method that changes or reads a collection; `None` if it is
/// none of these.
pub(super) fn method<'s>(
    walker: &mut Walker<'_, 's, '_, '_>,
    callee: &Callee<'s>,
    args: &Args<'s>,
) -> Option<Value> {
    if callee
        .path
        .as_deref()
        .is_some_and(|path| path.ends_with("Map.of"))
    {
        return Some(map_of(args));
    }
    let Some((place, receiver)) = &callee.receiver else {
        return function(callee, args);
    };
    if is_settings(receiver) {
        return setting(walker, callee, args);
    }
    let first = args.positional(0);
    match callee.name {
        "add" | "append" | "push" | "addLast" | "add_last" | "<<" | "push_back" | "addElement"
        | "offer" | "push_str" | "WriteString" | "write_str" => {
            let changed = match (first, args.positional(1)) {
                (Some(_), Some(second))
                    if matches!(receiver.shape.as_deref(), Some(Shape::List(_))) =>
                {
                    receiver.clone().with_taint(&second.deep_taint())
                }
                (Some(value), _) => appended(receiver, value),
                (None, _) => return None,
            };
            walker.update(*place, changed.clone());
            Some(changed)
        }
        "insert" | "prepend" | "unshift" | "addAll" | "extend" | "concat" | "extend_from_slice"
        | "addFirst" | "update" | "merge!" | "putAll" => {
            let mut changed = receiver.clone().with_taint(&args.taint());
            // Text that was constant is so no longer.
            if changed.shape.is_none() && !args.list.is_empty() {
                changed.constant = None;
                changed.built |= !changed.taint.is_none();
            }
            walker.update(*place, changed.clone());
            Some(changed)
        }
        "put" | "set" | "setProperty" | "store" | "setAttribute" | "setdefault" | "Set" | "Add" => {
            if let Some((name, value)) = in_section(args) {
                let changed = receiver.clone().with_part(&name, value.clone());
                walker.update(*place, changed);
                return Some(Value::default());
            }
            let (Some(key), Some(value)) = (first, args.positional(1)) else {
                return setter(walker, callee, args);
            };
            let changed = match key.constant_text() {
                Some(name) => receiver.clone().with_part(&name, value.clone()),
                None => receiver.clone().with_taint(&value.deep_taint()),
            };
            walker.update(*place, changed);
            Some(Value::default())
        }
        "remove" | "removeAt" | "delete_at" | "pop" | "shift" | "poll" | "removeFirst"
        | "removeLast" => removed(walker, callee, args),
        "get" | "getProperty" | "fetch" | "at" | "elementAt" | "getOrDefault" | "dig" | "Get"
        | "nth" | "get_mut" => {
            receiver.shape.as_ref()?;
            if let Some(part) = section_key(args).and_then(|name| receiver.part(&name)) {
                return Some(part.clone());
            }
            let mut value = receiver.element(first?);
            if let Some(other) = args.positional(1) {
                value = value.join(other);
            }
            Some(value)
        }
        "first" | "getFirst" | "peek" | "last" | "getLast" => {
            let Some(Shape::List(items)) = receiver.shape.as_deref() else {
                return None;
            };
            let item = if matches!(callee.name, "last" | "getLast") {
                items.last()
            } else {
                items.first()
            };
            item.cloned()
        }
        _ => setter(walker, callee, args),
    }
}

/// Settings in sections, each with keys of its own.
fn is_settings(receiver: &Value) -> bool {
    receiver
        .path
        .as_deref()
        .is_some_and(|path| path.starts_with("configparser."))
}

/// `settings.set(section, key, value)` and `settings.get(section, key)`.
fn setting<'s>(
    walker: &mut Walker<'_, 's, '_, '_>,
    callee: &Callee<'s>,
    args: &Args<'s>,
) -> Option<Value> {
    let (place, receiver) = callee.receiver.as_ref()?;
    let section = args.positional(0)?.constant_text();
    let key = args.positional(1)?.constant_text();
    let name = section
        .zip(key)
        .map(|(section, key)| format!("{section}\n{key}"));
    match (callee.name, name) {
        ("set", name) => {
            let value = args.positional(2)?;
            let changed = match name {
                Some(name) => receiver.clone().with_part(&name, value.clone()),
                None => receiver.clone().with_taint(&value.deep_taint()),
            };
            walker.update(*place, changed);
            Some(Value::default())
        }
        ("get", Some(name)) => Some(match receiver.part(&name) {
            Some(part) => part.clone(),
            None => Value::tainted(receiver.taint.clone()),
        }),
        _ => None,
    }
}

/// Keys and values by turns.
fn map_of(args: &Args<'_>) -> Value {
    let values: Vec<&Value> = args.positions().map(|(value, _)| value).collect();
    values.chunks(2).fold(Value::map(), |map, pair| match pair {
        [key, value] => match key.constant_text() {
            Some(name) => map.with_part(&name, (*value).clone()),
            None => map.with_taint(&value.deep_taint()),
        },
        _ => map,
    })
}

/// `settings.set(section, key, value)` of Python's configuration files.
fn in_section<'v>(args: &'v Args<'_>) -> Option<(String, &'v Value)> {
    let value = args.positional(2)?;
    Some((section_key(args)?, value))
}

fn section_key(args: &Args<'_>) -> Option<String> {
    let section = args.positional(0)?.text()?;
    let key = args.positional(1)?.text()?;
    Some(format!("{section}/{key}"))
}

/// Text is added to text, an element to a list.
fn appended(receiver: &Value, value: &Value) -> Value {
    if matches!(receiver.shape.as_deref(), Some(Shape::List(_))) {
        return receiver.clone().with_pushed(value.clone());
    }
    let is_start = receiver.text() == Some("");
    if let (Some(_), Some(_)) = (receiver.text(), value.text()) {
        let mut changed = add(receiver, value);
        changed.path.clone_from(&receiver.path);
        changed.typed = receiver.typed;
        return changed;
    }
    let added = if is_start {
        value.deep_taint()
    } else {
        appended_taint(receiver, value.deep_taint())
    };
    let mut changed = receiver.clone().with_taint(&added);
    changed.constant = None;
    changed.built |= value.built || !value.taint.is_none();
    changed
}

fn removed<'s>(
    walker: &mut Walker<'_, 's, '_, '_>,
    callee: &Callee<'s>,
    args: &Args<'s>,
) -> Option<Value> {
    let (place, receiver) = callee.receiver.as_ref()?;
    let Some(Shape::List(items)) = receiver.shape.as_deref() else {
        return None;
    };
    let at = match (callee.name, args.positional(0).map(|key| &key.constant)) {
        ("shift" | "poll" | "removeFirst", _) => 0,
        (_, Some(Some(Const::Int(index)))) => usize::try_from(*index).ok()?,
        ("pop" | "removeLast", None) => items.len().checked_sub(1)?,
        _ => return None,
    };
    if at >= items.len() {
        return None;
    }
    let mut left = items.clone();
    let item = left.remove(at);
    let mut changed = receiver.clone();
    changed.shape = Some(Rc::new(Shape::List(left)));
    walker.update(*place, changed);
    Some(item)
}

/// `builder.setX(value)` and similar change their receiver.
fn setter<'s>(
    walker: &mut Walker<'_, 's, '_, '_>,
    callee: &Callee<'s>,
    args: &Args<'s>,
) -> Option<Value> {
    let (place, receiver) = callee.receiver.as_ref()?;
    let name = callee.name;
    let sets = [
        "set", "add", "append", "with", "put", "push", "write", "command", "arg",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix));
    let taint = args.taint();
    if !sets || taint.is_none() {
        return None;
    }
    let mut changed = receiver.clone().with_taint(&taint);
    changed.constant = None;
    walker.update(*place, changed);
    // The rules decide the result.
    None
}

/// Functions that make collections.
fn function<'s>(callee: &Callee<'s>, args: &Args<'s>) -> Option<Value> {
    match callee.path.as_deref()? {
        "dict" | "Hash.new" => {
            let mut map = Value::map();
            for (name, value, _) in &args.list {
                match name {
                    Some(name) => map = map.with_part(name, value.clone()),
                    None => map.taint = map.taint.union(&value.deep_taint()),
                }
            }
            Some(map)
        }
        "list" if args.list.is_empty() => Some(Value::list(Vec::new())),
        // Go: the slice, and what is added to it.
        "append" => {
            let mut list = args.positional(0)?.clone();
            for (value, _) in args.positions().skip(1) {
                list = appended(&list, value);
            }
            Some(list)
        }
        "vec!" => Some(Value::list(
            args.positions().map(|(value, _)| value.clone()).collect(),
        )),
        _ => None,
    }
}
