//! Tells others what happened.
//!
//! Events become deliveries in the transaction that moves the cursor on, so
//! that each is told at least once, whatever happens to the process. A
//! delivery that fails is repeated with growing pauses, across restarts.

mod client;
pub(crate) mod payload;
mod target;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use rusqlite::Transaction;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::error::Result;
use crate::hex::hex;
use crate::store::deliveries::{self, Delivery, DeliveryResult, NewDelivery};
use crate::store::events;
use crate::store::hooks::{self, ContentType, Hook};
use target::Target;

/// How many events are turned into deliveries in one transaction.
const BATCH: usize = 64;

/// How often to look without being told: another process may have written.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// After a failure of the forge itself, such as a full disk.
const PAUSE: Duration = Duration::from_secs(5);

/// Whether a URL can be delivered to at all.
pub(crate) fn is_address(url: &str) -> bool {
    Target::parse(url).is_some()
}

/// Whether a URL says itself that nothing may be delivered to it. What a name
/// leads to is found out when something is.
pub(crate) fn is_forbidden(app: &App, url: &str) -> bool {
    let is_private = Target::parse(url).is_some_and(|target| target.is_plainly_private());
    is_private && !app.settings().allow_private_webhooks
}

/// Until `stop`. A delivery under way is given up then and sent again by the
/// next forge.
pub(crate) async fn run(app: App, stop: CancellationToken) {
    let mut written = app.written();
    let mut under_way: JoinSet<i64> = JoinSet::new();
    let mut busy = HashSet::new();
    loop {
        let pause = match step(&app, &mut busy, &mut under_way).await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::error!(error = ?error, "cannot deliver to webhooks");
                PAUSE
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            changed = written.changed() => if changed.is_err() { return },
            Some(done) = under_way.join_next() => match done {
                Ok(hook_id) => { busy.remove(&hook_id); }
                Err(error) => {
                    tracing::error!(%error, "a webhook's delivery ended early");
                    busy.clear();
                }
            },
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Turns events into deliveries and starts those that are due, at most one per
/// hook at a time, so that a receiver hears things in their order unless it
/// fails. Says how long to wait.
async fn step(
    app: &App,
    busy: &mut HashSet<i64>,
    under_way: &mut JoinSet<i64>,
) -> Result<Duration> {
    while told_to_hooks(app).await? == BATCH {}
    let now = app.timestamp().as_millisecond();
    for delivery in app.rows(|conn| deliveries::due(conn, now))? {
        if busy.insert(delivery.hook_id) {
            under_way.spawn(attempt(app.clone(), delivery));
        }
    }
    let next = app.rows(deliveries::next_due)?;
    let until_next = next
        .filter(|_| under_way.is_empty())
        .map(|at| u64::try_from(at.saturating_sub(now)).unwrap_or(0))
        .map_or(LOOK_AGAIN, Duration::from_millis);
    Ok(until_next.min(LOOK_AGAIN))
}

/// Says how many events were looked at.
async fn told_to_hooks(app: &App) -> Result<usize> {
    let waiting = app.read(|conn| {
        let cursor = hooks::cursor(conn)?;
        Ok(events::after(conn, cursor, BATCH)?)
    })?;
    let Some(last) = waiting.last().map(|event| event.id) else {
        return Ok(0);
    };
    let mut prepared = Vec::new();
    for event in &waiting {
        let wanted = app.read(|conn| {
            let all = hooks::for_repository(conn, event.repository_id)?;
            let hooks = all.into_iter();
            let wanted = |hook: &Hook| hook.wants(&event.kind) && hook.after_event_id < event.id;
            Ok(hooks.filter(wanted).collect::<Vec<_>>())
        })?;
        if wanted.is_empty() {
            continue;
        }
        match payload::for_event(app, event).await {
            Ok(Some(payload)) => prepared.push((event.clone(), payload.to_string(), wanted)),
            // What it was about is gone already.
            Ok(None) => {}
            Err(error) => {
                // One event that cannot be told must not hold up all others.
                tracing::error!(error = ?error, event = event.id, kind = event.kind, "cannot describe an event");
            }
        }
    }
    let now = app.timestamp().as_millisecond();
    let count = waiting.len();
    app.write(move |tx| {
        for (event, payload, wanted) in &prepared {
            for hook in wanted {
                // It may have been deleted meanwhile.
                if hooks::by_id(tx, hook.id)?.is_none() {
                    continue;
                }
                deliveries::add(
                    tx,
                    &NewDelivery {
                        hook_id: hook.id,
                        guid: &guid(),
                        event: &event.kind,
                        action: event.action.as_deref(),
                        payload,
                        redelivery: false,
                        attempt: 0,
                        due_at: now,
                    },
                )?;
            }
        }
        hooks::set_cursor(tx, last)?;
        Ok(())
    })
    .await?;
    Ok(count)
}

/// Puts a ping in line.
pub(crate) fn ping(
    tx: &Transaction<'_>,
    hook: &Hook,
    payload: &Value,
    now: i64,
) -> rusqlite::Result<i64> {
    deliveries::add(
        tx,
        &NewDelivery {
            hook_id: hook.id,
            guid: &guid(),
            event: "ping",
            action: None,
            payload: &payload.to_string(),
            redelivery: false,
            attempt: 0,
            due_at: now,
        },
    )
}

/// Puts a delivery in line again, on someone's request or after a failure.
pub(crate) fn repeat(
    tx: &Transaction<'_>,
    delivery: &Delivery,
    attempt: usize,
    due_at: i64,
) -> rusqlite::Result<i64> {
    deliveries::add(
        tx,
        &NewDelivery {
            hook_id: delivery.hook_id,
            guid: &delivery.guid,
            event: &delivery.event,
            action: delivery.action.as_deref(),
            payload: &delivery.payload,
            redelivery: true,
            attempt,
            due_at,
        },
    )
}

/// Sends once and notes what came of it. Gives back whose delivery it was.
async fn attempt(app: App, delivery: Delivery) -> i64 {
    let hook_id = delivery.hook_id;
    let hook = app.rows(|conn| hooks::by_id(conn, hook_id));
    let noted = match hook {
        Ok(Some(hook)) => {
            let (result, repeat) = send(&app, &hook, &delivery).await;
            note(&app, delivery, result, repeat).await
        }
        // Its deliveries went with it.
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    if let Err(error) = noted {
        // It is due still, and will be sent again.
        tracing::error!(error = ?error, hook = hook_id, "cannot note a webhook's delivery");
        tokio::time::sleep(PAUSE).await;
    }
    hook_id
}

async fn note(
    app: &App,
    delivery: Delivery,
    result: DeliveryResult,
    repeat_it: bool,
) -> Result<()> {
    let pause = if repeat_it {
        app.settings().hook_retries.get(delivery.attempt).copied()
    } else {
        None
    };
    let again = pause.map(|pause| {
        let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
        app.timestamp().as_millisecond().saturating_add(pause)
    });
    app.write(move |tx| {
        deliveries::finish(tx, delivery.id, &result)?;
        if let Some(at) = again {
            repeat(tx, &delivery, delivery.attempt + 1, at)?;
        }
        Ok(())
    })
    .await
}

/// A receiver that says no means it; one that is in trouble may be back later.
fn is_worth_repeating(status_code: u16) -> bool {
    matches!(status_code, 408 | 425 | 429 | 500..=599)
}

/// What came of it, and whether to try again.
async fn send(app: &App, hook: &Hook, delivery: &Delivery) -> (DeliveryResult, bool) {
    let (content_type, body) = match hook.content_type {
        ContentType::Json => ("application/json", delivery.payload.clone()),
        ContentType::Form => (
            "application/x-www-form-urlencoded",
            format!("payload={}", form_encoded(&delivery.payload)),
        ),
    };
    let mut headers = vec![
        ("accept", "*/*".to_owned()),
        ("content-type", content_type.to_owned()),
        ("user-agent", "GitHub-Hookshot/baton-forge".to_owned()),
        ("x-github-delivery", delivery.guid.clone()),
        ("x-github-event", delivery.event.clone()),
        ("x-github-hook-id", hook.id.to_string()),
        (
            "x-github-hook-installation-target-id",
            hook.repository_id.to_string(),
        ),
        (
            "x-github-hook-installation-target-type",
            "repository".to_owned(),
        ),
    ];
    if let Some(secret) = &hook.secret {
        let signature = signature(secret, body.as_bytes());
        headers.push(("x-hub-signature-256", signature));
    }
    let started = Instant::now();
    let allow_private = app.settings().allow_private_webhooks;
    let answer = client::post(&hook.url, allow_private, &headers, body).await;
    let request_headers: Value = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let mut result = DeliveryResult {
        delivered_at: app.now(),
        duration: (started.elapsed().as_secs_f64() * 100.0).round() / 100.0,
        status: String::new(),
        status_code: 0,
        request_headers: request_headers.to_string(),
        response_headers: None,
        response_body: None,
    };
    match answer {
        Ok(answer) => {
            result.status_code = answer.status.as_u16();
            result.status = match answer.status.canonical_reason() {
                Some(reason) => reason.to_owned(),
                None => result.status_code.to_string(),
            };
            result.response_headers = Some(Value::Object(answer.headers).to_string());
            result.response_body = Some(answer.body);
            let again = is_worth_repeating(result.status_code);
            (result, again)
        }
        Err(error) => {
            tracing::info!(hook = hook.id, url = hook.url, %error, "a webhook's receiver did not answer");
            result.status = error.to_string();
            (result, error.is_worth_repeating())
        }
    }
}

/// `sha256=` and the code that proves who sent the bytes.
fn signature(secret: &str, body: &[u8]) -> String {
    let mut code = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .expect("a code takes a secret of any length");
    code.update(body);
    format!("sha256={}", hex(&code.finalize().into_bytes()))
}

/// As browsers write forms.
fn form_encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::with_capacity(text.len() + text.len() / 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            other => {
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

/// In the form of a random UUID.
fn guid() -> String {
    use std::hash::{BuildHasher, RandomState};
    // The standard library's hashers are seeded by the system's random numbers.
    let [high, low] = [0, 1].map(|part: u8| RandomState::new().hash_one(part));
    let text = hex(&[high.to_be_bytes(), low.to_be_bytes()].concat());
    format!(
        "{}-{}-4{}-8{}-{}",
        &text[..8],
        &text[8..12],
        &text[13..16],
        &text[17..20],
        &text[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From GitHub's documentation on validating deliveries.
    #[test]
    fn signatures_are_githubs() {
        assert_eq!(
            signature("It's a Secret to Everybody", b"Hello, World!"),
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
        );
    }

    #[test]
    fn forms_are_encoded() {
        assert_eq!(
            form_encoded("{\"a\": \"ü&\"}"),
            "%7B%22a%22%3A+%22%C3%BC%26%22%7D"
        );
    }

    #[test]
    fn every_delivery_has_a_name_of_its_own() {
        let (one, two) = (guid(), guid());
        assert_ne!(one, two);
        assert_eq!(one.len(), 36, "{one}");
    }
}
