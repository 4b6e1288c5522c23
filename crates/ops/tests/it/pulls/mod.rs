//! The pull-request tools, asked about a local forge over real HTTP.

mod failing_tests;
mod world;

use baton_testkit::world::World;
use serde_json::json;

use world::Office;

#[test]
fn what_nobody_asked_for_is_named() {
    let world = World::start();
    let office = Office::new(&world);
    let answer = office.error("detect_merge_conflicts", &json!({ "pull": 1 }));
    insta::assert_snapshot!(answer, @"");
}
