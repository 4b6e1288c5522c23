//! Tests of the search for secrets.

use super::catalogue::CATALOGUE;
use super::*;

fn findings(path: &str, bytes: &[u8]) -> Vec<Finding> {
    super::findings(path, bytes, &Budget::unlimited())
}

/// Fills a recipe: `ghp_<alnum:36>` becomes a text of that form, the same every time.
fn filled(recipe: &str) -> String {
    let mut text = String::new();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut rest = recipe;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        let slot = after.split_once('>').and_then(|(slot, tail)| {
            let (class, count) = slot.split_once(':')?;
            Some((alphabet(class)?, count.parse::<usize>().ok()?, tail))
        });
        let Some((alphabet, count, tail)) = slot else {
            text.push('<');
            rest = after;
            continue;
        };
        for _ in 0..count {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let letters = alphabet.as_bytes();
            let letter = usize::try_from(state % letters.len() as u64).expect("small");
            text.push(char::from(letters[letter]));
        }
        rest = tail;
    }
    text.push_str(rest);
    text
}

fn alphabet(class: &str) -> Option<&'static str> {
    Some(match class {
        "hex" => "0123456789abcdef",
        "HEX" => "0123456789ABCDEF",
        "alnum" => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "lower" => "0123456789abcdefghijklmnopqrstuvwxyz",
        "lower32" => "234567abcdefghijklmnopqrstuvwxyz",
        "upper" => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "base32" => "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "bech32" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "digit" => "0123456789",
        "b64" => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/",
        "a" => "a",
        "A" => "A",
        "Q" => "Q",
        "0" => "0",
        _ => return None,
    })
}

fn rules_in(path: &str, text: &str) -> Vec<String> {
    findings(path, text.as_bytes())
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

#[test]
fn every_format_finds_its_examples() {
    let mut missed = Vec::new();
    for format in &CATALOGUE.formats {
        for recipe in &format.examples.matching {
            let text = format!("let setting = \"{}\";\n", filled(recipe));
            let bare = filled(recipe);
            let own = format!("secrets/{}", format.id);
            let found = |text: &str| {
                CATALOGUE
                    .hits(text.as_bytes(), &Budget::unlimited())
                    .iter()
                    .any(|hit| hit.rule == own)
            };
            if !found(&bare) || !(recipe.contains('"') || found(&text)) {
                missed.push((format.id.clone(), bare));
            }
        }
    }
    assert!(missed.is_empty(), "not found: {missed:#?}");
}

#[test]
fn every_format_is_quiet_about_its_counterexamples() {
    let mut loud = Vec::new();
    for format in &CATALOGUE.formats {
        assert!(!format.examples.quiet.is_empty(), "{}", format.id);
        for recipe in &format.examples.quiet {
            let text = filled(recipe);
            let hits = hits(
                text.as_bytes(),
                "src/settings.py",
                Surroundings::Product,
                &Budget::unlimited(),
            );
            loud.extend(
                hits.into_iter()
                    .map(|hit| (format.id.clone(), hit.rule, text.clone())),
            );
        }
    }
    assert!(loud.is_empty(), "found: {loud:#?}");
}

#[test]
fn there_are_many_formats_with_ids_of_their_own() {
    let mut ids: Vec<_> = CATALOGUE.formats.iter().map(|format| &format.id).collect();
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(all, ids.len());
    assert!(all >= 150, "{all}");
}

#[test]
fn a_finding_shows_the_start_and_the_length_and_nothing_else() {
    let token = filled("ghp_<alnum:36>");
    let text = format!("import os\n\nTOKEN = \"{token}\"  # {token}\n");
    let found = findings("src/settings.py", text.as_bytes());
    assert_eq!(found.len(), 2);
    let first = &found[0];
    assert!(!format!("{found:?}").contains(&token[8..]));
    insta::assert_snapshot!(first, @"GitHub personal access token ghp_… (40 characters) in src/settings.py:3 – anyone who can read the repository or its history can use it");
    insta::assert_snapshot!(first.excerpt, @r#"TOKEN = "ghp_… (40 characters)"  # ghp_… (40 characters)"#);
    assert_eq!((first.place.start_column, first.place.end_column), (10, 50));
}

#[test]
fn the_same_secret_keeps_its_fingerprint_when_lines_move() {
    let token = filled("glpat-<alnum:20>");
    let above = findings("a.rb", format!("T = '{token}'\n").as_bytes());
    let below = findings("a.rb", format!("# one\n# two\nT = '{token}'\n").as_bytes());
    assert_eq!(above[0].fingerprint, below[0].fingerprint);
}

#[test]
fn passwords_are_found_where_they_are_assigned() {
    for (path, text) in [
        ("src/db.py", "DB_PASSWORD = 'kT9$mquuw2'\n"),
        ("src/db.ts", "const dbPassword: string = \"kT9$mquuw2\";\n"),
        ("src/Db.java", "String password = \"kT9mquuw2x\";\n"),
        ("config/db.yml", "production:\n  password: kT9mquuw2x\n"),
        ("src/db.go", "cfg := Config{Password: \"kT9mquuw2x\"}\n"),
        ("src/db.rb", "config[:password] = 'kT9mquuw2x'\n"),
    ] {
        assert_eq!(rules_in(path, text), ["secrets/password"], "{text}");
    }
}

#[test]
fn keys_are_found_by_their_names_and_their_randomness() {
    let key = filled("<alnum:32>");
    assert_eq!(
        rules_in("a.js", &format!("const apiKey = '{key}'")),
        ["secrets/generic-key"]
    );
    assert_eq!(
        rules_in("a.js", &format!("{{ \"client_secret\": \"{key}\" }}")),
        ["secrets/generic-key"]
    );
    assert_eq!(
        rules_in("a.js", "const apiKey = 'the-key-of-the-house-2'"),
        [""; 0]
    );
}

#[test]
fn addresses_with_a_login_are_found_unless_the_host_is_near() {
    let password = filled("<alnum:12>");
    let address = |host: &str| format!("url = \"postgres://app:{password}@{host}/app\"");
    assert_eq!(
        rules_in("a.py", &address("db.acme.io")),
        ["secrets/login-in-address"]
    );
    assert_eq!(rules_in("a.py", &address("localhost")), [""; 0]);
    assert_eq!(rules_in("a.py", &address("db")), [""; 0]);
    assert_eq!(
        rules_in("a.py", "url = \"postgres://user:password@db.acme.io/app\""),
        [""; 0]
    );
}

#[test]
fn placeholders_are_not_reported() {
    for text in [
        "password = os.environ['DB_PASSWORD']",
        "password = \"${DB_PASSWORD}\"",
        "password: \"{{ vault_db_password }}\"",
        "password = \"changeme1\"",
        "<input type=\"password\" name=\"password1\">",
        "PASSWORD_FIELD = 'user_password1'",
        "passwordPlaceholder: 'At least 8 characters'",
        "token = 'YOUR_TOKEN_HERE_1234567'",
        "api_key = '<your api key 1>'",
        "token_type = 'bearer1234567890abcdef'",
        "secret: process.env.SECRET_1",
        "max_tokens = '4096aaaa4096bbbb'",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "key = 'AKIAXXXXXXXXXXXXXXXX'",
        "password = '/run/secrets/db1'",
        "password_hash = '$2b$12$abcdefghijklmnopqrstuv'",
    ] {
        assert_eq!(rules_in("src/app.py", text), [""; 0], "{text}");
    }
}

#[test]
fn fixtures_documentation_and_locks_stay_below_the_threshold() {
    let token = filled("github_pat_<alnum:22>_<alnum:59>");
    let text = format!("token: {token}\npassword: kT9$mquuw2\n");
    for path in [
        "tests/fixtures/a.yml",
        "docs/setup.md",
        "README.md",
        "config/settings.example.yml",
    ] {
        let found = findings(path, text.as_bytes());
        assert!(
            found
                .iter()
                .all(|finding| finding.severity == Severity::Low),
            "{path}"
        );
        assert_eq!(found.len(), 1, "{path}");
    }
    assert_eq!(findings("package-lock.json", text.as_bytes()), []);
    assert_eq!(findings("yarn.lock", text.as_bytes()), []);
    let product = findings("config/settings.yml", text.as_bytes());
    assert_eq!(product.len(), 2);
}

#[test]
fn private_keys_are_found_over_lines_and_in_one_line() {
    let body = filled("<b64:64>\n<b64:64>\n<b64:64>");
    let begin = ["-----BEGIN", "RSA", "PRIVATE KEY-----"].join(" ");
    let file = format!("{begin}\n{body}\n");
    assert_eq!(rules_in("deploy/id", &file), ["secrets/private-key"]);
    let json = format!(
        "{{\"private_key\": \"{begin}\\n{}\"}}",
        body.replace('\n', "\\n")
    );
    assert_eq!(
        rules_in("deploy/account.json", &json),
        ["secrets/private-key"]
    );
    // Keys that are in use are longer than what is looked at of them.
    let long = filled(&"<b64:64>\n".repeat(25));
    let pem = format!("{begin}\n{long}-----END RSA PRIVATE KEY-----\n");
    assert_eq!(rules_in("key.pem", &pem), ["secrets/private-key"]);
    let modern = pem.replace("RSA PRIVATE", "PRIVATE");
    assert_eq!(
        rules_in("deploy/server.pem", &modern),
        ["secrets/private-key"]
    );
    let public = file.replace("RSA PRIVATE", "PUBLIC");
    assert_eq!(rules_in("deploy/id", &public), [""; 0]);
}

#[test]
fn a_large_hostile_file_is_read_once() {
    // Every few bytes a keyword, in one line of a megabyte.
    let text = "ghp_ token secret AKIA eyJ aws twilio password=".repeat(20_000);
    assert_eq!(findings("src/a.js", text.as_bytes()), []);
    let invalid = [0xff, 0xfe, b'p', b'w', b'd', b'=', b'"', 0xff, b'"'].repeat(10_000);
    assert_eq!(findings("src/a.js", &invalid), []);
}

#[test]
fn other_excerpts_are_masked_too() {
    let token = filled("sk_live_<alnum:24>");
    let line = format!("stripe.charge(\"{token}\", \"ü\", 'x')");
    insta::assert_snapshot!(masked(&line), @r#"stripe.charge("sk_l… (32 characters)", "ü", 'x')"#);
    assert_eq!(masked("nothing here"), "nothing here");
}
