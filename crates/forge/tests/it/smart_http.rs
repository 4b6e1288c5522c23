use baton_testkit::Repo;

use crate::world::World;

#[test]
fn a_push_arrives_and_is_cloned_by_everybody() {
    let world = World::start();
    let checkout = world.checkout();
    let url = format!("http://{}/octo/demo.git", world.address);
    let copy = world.sandbox.repo("copy");
    copy.git(&["fetch", "--quiet", &url, "main"]);
    assert_eq!(copy.git(&["rev-parse", "FETCH_HEAD"]), checkout.head());
    // GitHub serves the address without the suffix, too.
    let short = format!("http://{}/octo/demo", world.address);
    copy.git(&["fetch", "--quiet", &short, "main"]);
}

#[test]
fn a_bad_token_does_not_get_in() {
    let world = World::start();
    let repo = world.sandbox.repo("checkout");
    repo.commit("Begin");
    let push = |token: &str| {
        let url = world.git_url_with(token, "octo/demo");
        complaint(&repo, &["push", &url, "main"], token)
    };
    insta::assert_snapshot!(push("ghp_wrong").replace(&world.address.to_string(), "HOST"), @r"
    remote: Invalid username or token.
    fatal: Authentication failed for 'http://HOST/octo/demo.git/'
    ");
    let guest = world.token("guest", &["repo"]);
    insta::assert_snapshot!(push(&guest).replace(&world.address.to_string(), "HOST"), @r"
    remote: Permission to octo/demo.git denied to guest.
    fatal: unable to access 'http://HOST/octo/demo.git/': The requested URL returned error: 403
    ");
    let without_scope = world.token("octo", &["read:org"]);
    insta::assert_snapshot!(push(&without_scope).replace(&world.address.to_string(), "HOST"), @r"
    remote: Permission to octo/demo.git denied to octo.
    fatal: unable to access 'http://HOST/octo/demo.git/': The requested URL returned error: 403
    ");
}

#[test]
fn a_large_push_and_its_clone_pass_through_in_pieces() {
    let world = World::start();
    let checkout = world.checkout();
    // Text that does not compress: three times the post buffer of git, so that
    // it is sent in chunks.
    let mut state = 1u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    })
    .take(3 * 1024 * 1024 / 8)
    .flatten()
    .collect();
    let head = checkout.commit_file("noise.bin", &noise, "Add noise");
    checkout.git(&["push", "--quiet", "origin", "main"]);
    let url = format!("http://{}/octo/demo.git", world.address);
    let copy = world.sandbox.repo("copy");
    copy.git(&["fetch", "--quiet", &url, "main"]);
    copy.git(&["checkout", "--quiet", "FETCH_HEAD"]);
    assert_eq!(copy.head(), head);
    assert!(std::fs::read(copy.path().join("noise.bin")).unwrap() == noise);
}

/// What git says when it fails, without the token.
fn complaint(repo: &Repo<'_>, args: &[&str], token: &str) -> String {
    let output = repo.try_git(args);
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).replace(token, "TOKEN")
}
