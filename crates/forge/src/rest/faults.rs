//! How the forge is made to misbehave.

use super::prelude::*;
use crate::auth::Caller;
use crate::middleware::faults::{ActiveFault, Fault};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/_forge/faults", get(list).post(add).delete(clear))
        .route("/_forge/faults/{id}", delete(remove))
}

async fn list(call: Call) -> Answer {
    check(&call.caller)?;
    ok(call.app.faults().list().iter().map(body).collect())
}

async fn add(call: Call) -> Answer {
    check(&call.caller)?;
    let fault: Fault = call.payload()?.deserialize()?;
    let active = ActiveFault {
        id: call.app.faults().add(fault.clone()),
        fault,
        seen: 0,
        hits: 0,
    };
    created(body(&active))
}

async fn clear(call: Call) -> Answer {
    check(&call.caller)?;
    call.app.faults().clear();
    no_content()
}

async fn remove(call: Call) -> Answer {
    check(&call.caller)?;
    let id = call.number("id")?;
    if !u64::try_from(id).is_ok_and(|id| call.app.faults().remove(id)) {
        return Err(ApiError::NotFound);
    }
    no_content()
}

/// Faults hit all callers, so they are for those who run the forge.
fn check(caller: &Caller) -> Result<()> {
    if caller.user()?.site_admin {
        return Ok(());
    }
    Err(ApiError::Forbidden(
        "Must be a site administrator.".to_owned(),
    ))
}

fn body(active: &ActiveFault) -> Value {
    let fault = &active.fault;
    json!({
        "id": active.id,
        "kind": fault.kind.name(),
        "method": fault.method,
        "path": fault.path,
        "operation": fault.operation,
        "skip": fault.skip,
        "count": fault.count,
        "seen": active.seen,
        "hits": active.hits,
    })
}
