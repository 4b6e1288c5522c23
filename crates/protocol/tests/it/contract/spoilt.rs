//! The reader and the schema of an input are two descriptions of one thing.
//! Spoil good documents at random and see that both judge alike.

use baton_protocol::schema;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{cases, is_input};

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..14).prop_map(Value::from),
        Just(json!(1.5)),
        Just(json!(3.0)),
        Just(json!(1_000_000)),
        Just(json!("")),
        Just(json!("/srv")),
        Just(json!("nonsense")),
        Just(json!("python")),
        Just(json!("rb")),
        Just(json!([])),
        Just(json!([0])),
        Just(json!([""])),
        Just(json!(["a", 1])),
        Just(json!({})),
    ]
}

proptest! {
    #[test]
    fn reader_and_schema_judge_alike(
        which in any::<prop::sample::Index>(),
        example in any::<prop::sample::Index>(),
        key in any::<prop::sample::Index>(),
        value in proptest::option::of(junk()),
    ) {
        // Rules over two fields are beyond these schemas; they are tested apart.
        let has_such_rules = |name| matches!(name, "pr.input" | "read_test_report.input");
        let inputs: Vec<_> = schema::entries()
            .filter(|e| is_input(e.name) && !has_such_rules(e.name))
            .collect();
        let entry = inputs[which.index(inputs.len())];
        let good = cases(entry.name, "good");
        let mut document = good[example.index(good.len())].document.clone();
        let schema = entry.json_schema();
        let mut keys: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        keys.push("colour".to_owned());
        let key = &keys[key.index(keys.len())];
        let object = document.as_object_mut().unwrap();
        match value {
            Some(value) => { object.insert(key.clone(), value); }
            None => { object.remove(key); }
        }
        let fits = jsonschema::draft7::new(&schema).unwrap().is_valid(&document);
        let read = entry.round_trip(&document);
        prop_assert_eq!(read.is_ok(), fits, "{} {}: {:?}", entry.name, document, read);
    }
}
