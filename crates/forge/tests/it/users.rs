use crate::world::World;

#[test]
fn a_token_says_who_asks() {
    let world = World::start();
    let octo = world.client("octo").get("/user");
    assert_eq!(octo.status, 200);
    assert_eq!(octo.json()["login"], "octo");

    let anonymous = world.anonymous().get("/user");
    assert_eq!(anonymous.status, 401);
    assert_eq!(anonymous.json()["message"], "Requires authentication");

    let stranger = world.with_token("ghp_wrong").get("/user");
    assert_eq!(stranger.status, 401);
    assert_eq!(stranger.json()["message"], "Bad credentials");
}
