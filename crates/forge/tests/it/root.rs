use crate::world::World;

#[test]
fn the_api_tells_about_itself() {
    let world = World::start();
    let anonymous = world.anonymous();
    for path in ["/", "/api/v3", "/api/v3/"] {
        let places = anonymous.get(path).expect(200).json();
        let user = format!("http://{}/api/v3/user", world.address);
        assert_eq!(places["current_user_url"], user);
    }
    anonymous.get("/meta").expect(200);
}

#[test]
fn asking_what_is_left_costs_nothing() {
    let world = World::start();
    let octo = world.client("octo");
    octo.get("/repos/octo/demo").expect(200);
    for _ in 0..2 {
        let left = octo.get("/rate_limit").expect(200).json();
        assert_eq!(left["resources"]["core"]["used"], 1);
        assert_eq!(left["rate"], left["resources"]["core"]);
    }
    let left = world.anonymous().get("/rate_limit").expect(200).json();
    assert_eq!(left["resources"]["core"]["used"], 0);
}
