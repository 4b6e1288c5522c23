//! Zip files from GitHub, and malicious ones.

use std::io::Write as _;

use baton_remote::github::{Archive, ArchiveError, ArchiveLimits};
use bytes::Bytes;
use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::server::{Answer, Scripted};
use super::{client, report, repository};

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, content) in files {
        zip.start_file(*path, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn open(bytes: Vec<u8>, limits: ArchiveLimits) -> Result<Archive, ArchiveError> {
    Archive::open(Bytes::from(bytes), limits)
}

fn refused(bytes: Vec<u8>) -> String {
    let error = open(bytes, ArchiveLimits::default()).unwrap_err();
    error.to_string()
}

/// Everything in an archive, or what is wrong with it.
fn unpacked(bytes: Vec<u8>, limits: ArchiveLimits) -> Result<Vec<(String, Vec<u8>)>, ArchiveError> {
    let mut archive = open(bytes, limits)?;
    let entries = archive.entries().to_vec();
    let mut files = Vec::new();
    for entry in entries {
        let mut content = Vec::new();
        archive.read(&entry, &mut content)?;
        files.push((entry.path().to_owned(), content));
    }
    Ok(files)
}

#[test]
fn files_come_out_as_they_went_in() {
    let log = b"2031-05-06T07:08:09Z line\n".repeat(10_000);
    let files: [(&str, &[u8]); 2] = [("0_build.txt", &log), ("build/1_Set up job.txt", b"")];
    let expected: Vec<(String, Vec<u8>)> = files
        .iter()
        .map(|(path, content)| ((*path).to_owned(), content.to_vec()))
        .collect();
    assert_eq!(
        unpacked(packed(&files), ArchiveLimits::default()),
        Ok(expected)
    );
}

#[test]
fn folders_are_no_files() {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.add_directory("build/", SimpleFileOptions::default())
        .unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert_eq!(unpacked(bytes, ArchiveLimits::default()), Ok(Vec::new()));
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    for path in [
        "../../etc/passwd",
        "a/../../b",
        "/etc/passwd",
        "a\\..\\b",
        "C:evil",
        "a//b",
        "./a",
        "a\u{0}b",
        "a\u{1b}[2J",
    ] {
        let error = open(packed(&[(path, b"x")]), ArchiveLimits::default()).unwrap_err();
        assert!(
            matches!(error, ArchiveError::UnsafePath { .. }),
            "{path:?}: {error}"
        );
    }
    insta::assert_snapshot!(refused(packed(&[("../\u{1b}[31m\u{202e}x", b"x")])), @r"its entry '../\u{1b}[31m\u{202e}x' would lead out of the folder it belongs in");
}

#[test]
fn links_are_refused() {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.add_symlink("log.txt", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    insta::assert_snapshot!(refused(bytes), @"its entry 'log.txt' is a link");
}

#[test]
fn encrypted_entries_are_refused() {
    let mut bytes = packed(&[("log.txt", b"x")]);
    // Bit 0 of the flags, in the entry's own header and in the table's.
    bytes[6] |= 1;
    let table = bytes
        .windows(4)
        .rposition(|window| window == b"PK\x01\x02")
        .unwrap();
    bytes[table + 8] |= 1;
    insta::assert_snapshot!(refused(bytes), @"its entry 'log.txt' is encrypted");
}

#[test]
fn what_is_no_archive_is_refused() {
    insta::assert_snapshot!(refused(Vec::new()), @"it is no zip file that can be read: invalid Zip archive: Could not find EOCD");
    insta::assert_snapshot!(refused(b"BlobNotFound".to_vec()), @"it is no zip file that can be read: invalid Zip archive: Could not find EOCD");
    let whole = packed(&[("log.txt", b"some text that is packed")]);
    for end in 0..whole.len() {
        assert!(
            open(whole[..end].to_vec(), ArchiveLimits::default()).is_err(),
            "cut at {end}"
        );
    }
}

#[test]
fn spoilt_content_is_noticed() {
    let mut bytes = packed(&[("log.txt", &b"line\n".repeat(1000))]);
    bytes[40] ^= 0xff;
    let error = unpacked(bytes, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, ArchiveError::Broken { .. }), "{error}");
}

#[test]
fn bombs_are_stopped_by_what_comes_out() {
    let zeros = vec![0; 4 << 20];
    let mut bytes = packed(&[("bomb.txt", &zeros)]);
    assert!(bytes.len() < 64 << 10);
    // The table claims that it is small.
    let table = bytes
        .windows(4)
        .rposition(|window| window == b"PK\x01\x02")
        .unwrap();
    let lie = bytes.clone();
    bytes[table + 24..table + 28].copy_from_slice(&10_u32.to_le_bytes());
    for bytes in [bytes, lie] {
        let limits = ArchiveLimits {
            entry: 1 << 20,
            ..ArchiveLimits::default()
        };
        let error = unpacked(bytes, limits).unwrap_err();
        let stopped = matches!(
            error,
            ArchiveError::EntryTooLarge { .. } | ArchiveError::Broken { .. }
        );
        assert!(stopped, "{error}");
    }
    let two = packed(&[("a.txt", &zeros), ("b.txt", &zeros)]);
    let limits = ArchiveLimits {
        total: 6 << 20,
        ..ArchiveLimits::default()
    };
    let error = unpacked(two, limits).unwrap_err();
    assert_eq!(error, ArchiveError::TooLarge { limit: 6 << 20 });
}

#[test]
fn too_many_entries_are_refused_before_they_are_read() {
    let names: Vec<String> = (0..11).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let limits = ArchiveLimits {
        entries: 10,
        ..ArchiveLimits::default()
    };
    let error = open(packed(&files), limits).unwrap_err();
    assert_eq!(
        error,
        ArchiveError::TooManyEntries {
            found: 11,
            limit: 10
        }
    );
}

const LOGS: &str = "GET /repos/octo/app/actions/runs/5/logs";

#[tokio::test]
async fn logs_of_a_run_are_fetched_from_where_github_keeps_them() {
    let store = Scripted::start().await;
    let zip = packed(&[("0_build.txt", b"error: no door\n")]);
    store.on(
        "GET /logs.zip?sig=s",
        Answer::text(200, "application/zip", zip),
    );
    let server = Scripted::start().await;
    let target = format!("http://{}/logs.zip?sig=s", store.authority());
    server.on(
        LOGS,
        Answer::json(302, &json!({})).header("location", target),
    );
    let github = client(&server);
    let archive = github
        .run_logs(&repository(), 5, ArchiveLimits::default())
        .await;
    let archive = archive.unwrap().unwrap();
    assert_eq!(archive.entries()[0].path(), "0_build.txt");
    // The store is another server: it must not learn the token.
    assert_eq!(store.seen()[0].headers.get("authorization"), None);
    assert!(server.seen()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn an_archive_that_cannot_be_trusted_is_an_error_with_a_next_step() {
    let server = Scripted::start().await;
    let zip = packed(&[("../x", b"x")]);
    server.on(LOGS, Answer::text(200, "application/zip", zip));
    let github = client(&server);
    let error = github
        .run_logs(&repository(), 5, ArchiveLimits::default())
        .await
        .unwrap_err();
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read the logs of run 5 in octo/app: the archive cannot be trusted: its entry '../x' would lead out of the folder it belongs in
    Look at it in the browser; it is not what GitHub itself makes.
    [api]
    ");
    let limits = ArchiveLimits {
        packed: 10,
        ..ArchiveLimits::default()
    };
    let error = github.run_logs(&repository(), 5, limits).await.unwrap_err();
    insta::assert_snapshot!(report(&error, &server), @r"
    cannot read the logs of run 5 in octo/app: GET http://HOST/api/v3/repos/octo/app/actions/runs/5/logs: the answer has more than 10 bytes
    Ask for less at a time.
    [api]
    ");
}

#[tokio::test]
async fn a_log_is_written_as_it_comes_and_cut_at_the_cap() {
    const LOG: &str = "GET /repos/octo/app/actions/jobs/6/logs";
    let server = Scripted::start().await;
    server.on(LOG, Answer::text(200, "text/plain", "0123456789"));
    let github = client(&server);
    for (cap, expected, truncated) in [(4, "0123", true), (10, "0123456789", false)] {
        let mut log = Vec::new();
        let written = github
            .job_log(&repository(), 6, cap, &mut log)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (log, written.truncated),
            (expected.as_bytes().to_vec(), truncated)
        );
        assert_eq!(written.bytes, expected.len() as u64);
    }
}

#[tokio::test]
async fn a_log_that_is_not_there_is_none() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app", &json!({ "full_name": "octo/app" }));
    let gone = json!({ "message": "Server Error", "documentation_url": "x" });
    server.on(LOGS, Answer::json(410, &gone));
    server.on(
        "GET /repos/octo/app/actions/jobs/6/logs",
        Answer::json(404, &gone),
    );
    let github = client(&server);
    let archive = github
        .run_logs(&repository(), 5, ArchiveLimits::default())
        .await;
    assert!(archive.unwrap().is_none());
    let log = github.job_log(&repository(), 6, 100, &mut Vec::new()).await;
    assert_eq!(log.unwrap(), None);
}
