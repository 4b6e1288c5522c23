//! The async runtime of a verb, and the signals that cancel it.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use signal_hook::flag;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;
use crate::exit::Exit;

/// Runs asynchronous work to its end. Ctrl-C and TERM cancel it; children run
/// in process groups of their own, so only this process ends them. After it,
/// the same signals end this process: all that is left is to show the answer.
pub(crate) fn run<T, F>(work: impl FnOnce(CancellationToken) -> F) -> Result<T, CommandError>
where
    F: Future<Output = Result<T, CommandError>>,
{
    let answer = run_to_end(async |cancel: CancellationToken| {
        let result = work(cancel.clone()).await;
        if cancel.is_cancelled() {
            return Err(CommandError::interrupted());
        }
        result
    });
    signals_end_the_process().store(true, Ordering::Relaxed);
    answer?
}

/// While this is set, signals end the process at once. The runtime leaves its
/// handlers behind, which would ignore them.
fn signals_end_the_process() -> &'static AtomicBool {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(|| {
        let is_set = Arc::new(AtomicBool::new(false));
        for signal in [SignalKind::interrupt(), SignalKind::terminate()] {
            let (number, code) = (signal.as_raw_value(), Exit::Interrupted.code());
            let registered =
                flag::register_conditional_shutdown(number, code.into(), Arc::clone(&is_set));
            if let Err(error) = registered {
                tracing::debug!(%error, "a signal will be ignored while the answer is shown");
            }
        }
        is_set
    })
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
        // Before the work begins: a signal that comes early counts, too.
        let watcher = Signals::listen().map(|signals| tokio::spawn(signals.cancel(cancel.clone())));
        signals_end_the_process().store(watcher.is_none(), Ordering::Relaxed);
        let answer = work(cancel).await;
        if let Some(watcher) = watcher {
            watcher.abort();
        }
        answer
    });
    Ok((answer, runtime))
}

/// Those that ask us to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Without handlers the signals keep their default, which ends us.
    fn listen() -> Option<Self> {
        Some(Self {
            interrupt: signal(SignalKind::interrupt()).ok()?,
            terminate: signal(SignalKind::terminate()).ok()?,
        })
    }

    async fn cancel(mut self, cancel: CancellationToken) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        cancel.cancel();
    }
}
