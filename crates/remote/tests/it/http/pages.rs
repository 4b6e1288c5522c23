//! Lists that come in pages.

use baton_remote::http::{Class, PageLimits};
use serde::Deserialize;

use super::server::{Reply, Seen, Server, json};
use super::{client, get, message};

/// Three pages of two numbers.
fn page(seen: &Seen) -> Reply {
    let page = match seen.target.split_once("page=") {
        Some((_, number)) => number.parse().unwrap(),
        None => 1_u8,
    };
    let numbers = json(&format!("[{}, {}]", 2 * page - 1, 2 * page));
    match page {
        1 | 2 => numbers.header("link", format!("</list?page={}>; rel=\"next\"", page + 1)),
        _ => numbers.header("link", "</list?page=1>; rel=\"first\""),
    }
}

#[tokio::test]
async fn all_pages_are_read() {
    let server = Server::start(|seen, _| page(seen)).await;
    let listed = client(&server)
        .list::<u8>(&get("/list").accept("x/y"), PageLimits::default())
        .await
        .unwrap();
    assert_eq!(listed.items, [1, 2, 3, 4, 5, 6]);
    assert_eq!((listed.pages, listed.truncated), (3, false));
    let accepts = |seen: &Seen| seen.header("accept") == Some("x/y");
    assert!(server.requests().iter().all(accepts));
}

#[tokio::test]
async fn limits_end_the_reading_and_mark_it_as_truncated() {
    let server = Server::start(|seen, _| page(seen)).await;
    let http = client(&server);
    let listed = async |pages, items| {
        let limits = PageLimits { pages, items };
        let listed = http.list::<u8>(&get("/list"), limits).await.unwrap();
        (listed.items.len(), listed.pages, listed.truncated)
    };
    assert_eq!(listed(2, 100).await, (4, 2, true));
    assert_eq!(listed(100, 3).await, (3, 2, true));
    assert_eq!(listed(100, 4).await, (4, 2, true));
    assert_eq!(listed(3, 6).await, (6, 3, false));
    assert_eq!(listed(0, 6).await, (0, 0, true));
}

#[tokio::test]
async fn pages_may_wrap_their_items() {
    #[derive(Deserialize)]
    struct Wrapped {
        items: Vec<u8>,
    }
    let server = Server::start(|_, _| json(r#"{"total_count": 2, "items": [7, 8]}"#)).await;
    let listed = client(&server)
        .list_by(&get("/list"), PageLimits::default(), |page: Wrapped| {
            page.items
        })
        .await
        .unwrap();
    assert_eq!(listed.items, [7, 8]);
}

#[tokio::test]
async fn a_list_that_goes_in_circles_is_noticed() {
    let server = Server::start(|seen, _| {
        let next = if seen.target == "/a" { "/b" } else { "/a" };
        json("[1]").header("link", format!("<{next}>; rel=\"next\""))
    })
    .await;
    let error = client(&server)
        .list::<u8>(&get("/a"), PageLimits::default())
        .await
        .unwrap_err();
    assert_eq!((error.class(), server.count()), (Class::PageLoop, 2));
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/b: the list goes in circles: its next page is one that was read before
    hint: check that the configured URL is the one that the server itself uses
    ");
}

#[tokio::test]
async fn the_next_page_must_not_be_elsewhere() {
    let other = Server::start(|_, _| json("[]")).await;
    let next = format!("<{}/list?page=2>; rel=next", other.url());
    let server = Server::start(move |_, _| json("[1]").header("link", &next)).await;
    let error = client(&server)
        .list::<u8>(&get("/list"), PageLimits::default())
        .await
        .unwrap_err();
    assert_eq!((error.class(), other.count()), (Class::ForeignOrigin, 0));
}
