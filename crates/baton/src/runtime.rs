use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;

/// Runs asynchronous work to its end. Ctrl-C and TERM cancel it; children run
/// in process groups of their own, so nobody but us would end them.
pub(crate) fn run<T, F>(work: impl FnOnce(CancellationToken) -> F) -> Result<T, CommandError>
where
    F: Future<Output = Result<T, CommandError>>,
{
    run_to_end(async |cancel: CancellationToken| {
        let result = work(cancel.clone()).await;
        if cancel.is_cancelled() {
            return Err(CommandError::interrupted());
        }
        result
    })?
}

/// The same for work that has an answer even when it is cancelled.
pub(crate) fn run_to_end<T, F>(work: impl FnOnce(CancellationToken) -> F) -> Result<T, CommandError>
where
    F: Future<Output = T>,
{
    on(&mut Builder::new_current_thread(), work)
}

/// For a server, which is ended by a signal and may use all processors.
pub(crate) fn serve<T, F>(work: impl FnOnce(CancellationToken) -> F) -> Result<T, CommandError>
where
    F: Future<Output = Result<T, CommandError>>,
{
    on(&mut Builder::new_multi_thread(), work)?
}

/// For runs of the workflow: all processors, and what is under way when the work
/// ends is stopped before we go, agents included.
pub(crate) fn drive<T, F>(work: impl FnOnce(CancellationToken) -> F) -> Result<T, CommandError>
where
    F: Future<Output = Result<T, CommandError>>,
{
    let (answer, runtime) = play(&mut Builder::new_multi_thread(), work)?;
    runtime.shutdown_timeout(STOPPING);
    answer
}

/// Ending a process group takes two seconds where it does not want to end.
const STOPPING: Duration = Duration::from_secs(5);

fn on<T, F>(
    builder: &mut Builder,
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<T, CommandError>
where
    F: Future<Output = T>,
{
    let (answer, runtime) = play(builder, work)?;
    // A thread that reads standard input cannot be stopped, and would be
    // waited for.
    runtime.shutdown_background();
    Ok(answer)
}

fn play<T, F>(
    builder: &mut Builder,
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<(T, Runtime), CommandError>
where
    F: Future<Output = T>,
{
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| CommandError::missing("cannot start the runtime").because(error))?;
    let cancel = CancellationToken::new();
    let answer = runtime.block_on(async {
        let watcher = tokio::spawn(cancel_on_signal(cancel.clone()));
        let answer = work(cancel).await;
        watcher.abort();
        answer
    });
    Ok((answer, runtime))
}

async fn cancel_on_signal(cancel: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        // Without handlers the signals keep their default, which ends us.
        return;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    cancel.cancel();
}
