//! Deliveries of webhooks.

use crate::store::prelude::*;

/// How many deliveries of a hook are remembered.
const KEPT: i64 = 1000;

row! {
    /// One attempt to tell a receiver.
    Delivery by (conn, row) {
        id: i64,
        hook_id: i64,
        guid: String,
        event: String,
        action: Option<String>,
        payload: String,
        redelivery: bool,
        attempt: usize,
        /// Null until it was sent.
        result: Option<DeliveryResult> = result(conn, row)?,
    }
}

row! {
    DeliveryResult {
        delivered_at: String,
        /// In seconds.
        duration: f64,
        /// `OK`, what the receiver said, or why there was no answer.
        status: String,
        /// 0 when there was no answer.
        status_code: u16,
        /// JSON objects.
        request_headers: String,
        response_headers: Option<String>,
        response_body: Option<String>,
    }
}

fn result(conn: &Connection, row: &Row<'_>) -> Found<DeliveryResult> {
    let at: Option<String> = row.get("delivered_at")?;
    at.map(|_| DeliveryResult::from_row(conn, row)).transpose()
}

impl DeliveryResult {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status_code)
    }
}

pub(crate) struct NewDelivery<'a> {
    pub(crate) hook_id: i64,
    pub(crate) guid: &'a str,
    pub(crate) event: &'a str,
    pub(crate) action: Option<&'a str>,
    pub(crate) payload: &'a str,
    pub(crate) redelivery: bool,
    pub(crate) attempt: usize,
    pub(crate) due_at: i64,
}

/// Also forgets the oldest ones that were sent.
pub(crate) fn add(tx: &Transaction<'_>, new: &NewDelivery<'_>) -> rusqlite::Result<i64> {
    let id = insert!(tx => hook_deliveries {
        hook_id: new.hook_id, guid: new.guid, event: new.event, action: new.action,
        payload: new.payload, redelivery: new.redelivery, attempt: new.attempt,
        due_at: new.due_at,
    })?;
    tx
        .prepare_cached(
            "DELETE FROM hook_deliveries WHERE hook_id = ?1 AND due_at IS NULL AND id <
             (SELECT id FROM hook_deliveries WHERE hook_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute(params![new.hook_id, KEPT])?;
    Ok(id)
}

sql! {
    /// What is to be sent by now, oldest first.
    all due(now: i64) -> Delivery:
        "SELECT * FROM hook_deliveries WHERE due_at <= ? ORDER BY id LIMIT 256";

    /// When the next one is to be sent.
    one next_due() -> Option<i64>:
        "SELECT min(due_at) FROM hook_deliveries WHERE due_at IS NOT NULL";

    run finish(id: i64, result: &DeliveryResult):
        "UPDATE hook_deliveries
         SET due_at = NULL, delivered_at = ?2, duration = ?3, status = ?4, status_code = ?5,
         request_headers = ?6, response_headers = ?7, response_body = ?8 WHERE id = ?1",
        [id, result.delivered_at, result.duration, result.status, result.status_code,
         result.request_headers, result.response_headers, result.response_body];

    /// Those that were sent, newest first.
    all sent(hook_id: i64, limit: usize) -> Delivery:
        "SELECT * FROM hook_deliveries WHERE hook_id = ? AND due_at IS NULL ORDER BY id DESC
         LIMIT ?";
    find by_id(hook_id: i64, id: i64) -> Delivery:
        "SELECT * FROM hook_deliveries WHERE hook_id = ? AND id = ?";
}
