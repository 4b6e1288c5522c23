//! Several runs side by side, in several processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use baton_engine::{
    Engine, RunOutcome, StepCall, StepContext, StepFuture, StepResult, Steps, Until,
};
use baton_workflow::{Ending, Policy, Step};

use crate::driving::Bench;
use crate::scripted::{goal, success};

/// Counts how many steps run at once.
#[derive(Clone, Default)]
struct Counting {
    implementing: Arc<Gauge>,
    reviewing: Arc<Gauge>,
}

#[derive(Default)]
struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Gauge {
    async fn busy(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(30)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl Steps for Counting {
    fn run<'a>(&'a self, call: &'a StepCall, _: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            match call.step {
                Step::Implement => self.implementing.busy().await,
                Step::Review => self.reviewing.busy().await,
                _ => {}
            }
            StepResult::from(Ok(success(call.step)))
        })
    }
}

#[tokio::test]
async fn there_are_three_implementations_and_five_reviews_at_once_in_all_engines() {
    let bench = Bench::new();
    let steps = Counting::default();
    let engines = [
        bench.engine(steps.clone()).await,
        bench.engine(steps.clone()).await,
    ];
    let mut drivers = tokio::task::JoinSet::new();
    for number in 0..12 {
        let engine: Engine = engines[number % 2].clone();
        drivers.spawn(async move {
            let run = engine.create(goal(), Policy::default()).await.unwrap();
            engine.drive(&run, Until::Ended).await.unwrap()
        });
    }
    while let Some(driven) = drivers.join_next().await {
        assert_eq!(driven.unwrap(), RunOutcome::Ended(Ending::Closed));
    }
    assert!(
        (1..=3).contains(&steps.implementing.most()),
        "{}",
        steps.implementing.most()
    );
    assert!(
        (1..=5).contains(&steps.reviewing.most()),
        "{}",
        steps.reviewing.most()
    );
}
