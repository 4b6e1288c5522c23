use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn names_are_listed_one_per_line() {
    let sandbox = Sandbox::new();
    let answer = baton(&sandbox).run(&["schema"]);
    let names: Vec<_> = answer.stdout.lines().collect();
    assert_eq!(names.len(), baton_protocol::schema::entries().count());
    for name in names {
        for form in ["json-schema", "typescript", "pydantic"] {
            let answer = baton(&sandbox).run(&["schema", name, "--as", form]);
            assert_eq!(
                (answer.code, answer.stderr.as_str()),
                (Some(0), ""),
                "{name}"
            );
            assert!(answer.stdout.len() > 100, "{name} as {form}");
        }
    }
}

#[test]
fn a_misspelt_name_is_told() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["schema", "testing.inptu"]), @"
    exit 2
    -- stderr
    error: there is no type called 'testing.inptu'
    hint: Did you mean 'testing.input'?
    ");
    insta::assert_snapshot!(baton(&sandbox).run(&["schema", "\u{1b}[31mred"]), @"
    exit 2
    -- stderr
    error: there is no type called '�[31mred'
    hint: `baton schema` lists all names.
    ");
}
