//! The pull-request tools as offers.

use std::pin::Pin;
use std::sync::Arc;

use baton_ops::pulls::{Desk, Patience, Progress, TOOLS, Tool, ToolError, references};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::offer::{Call, Failure, Hints, Offer, Outcome};

/// What a desk is requested for.
pub struct Wanted {
    /// The pull requests in question, as the caller wrote them.
    pub references: Vec<String>,
    pub patience: Patience,
    pub progress: Progress,
    pub cancel: CancellationToken,
}

/// Makes the desk that a tool works at.
pub type MakeDesk = Arc<
    dyn Fn(Wanted) -> Pin<Box<dyn Future<Output = Result<Desk, ToolError>> + Send>> + Send + Sync,
>;

/// All of them.
pub fn offers(make_desk: &MakeDesk) -> Vec<Offer> {
    TOOLS.iter().map(|tool| offer(tool, make_desk)).collect()
}

fn offer(tool: &'static Tool, make_desk: &MakeDesk) -> Offer {
    let make_desk = make_desk.clone();
    Offer {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        input: Offer::entry(&format!("{}.input", tool.name)),
        output: Offer::entry(&format!("{}.output", tool.name)),
        hints: Hints::for_remote(tool.effects),
        may_last: |input| input.get("wait") == Some(&Value::Bool(true)),
        durable: None,
        run: Arc::new(move |call| Box::pin(run(tool, make_desk.clone(), call))),
    }
}

async fn run(tool: &'static Tool, make_desk: MakeDesk, call: Call) -> Outcome {
    let Call {
        input,
        patience,
        telling,
        cancel,
        questions: _,
    } = call;
    let wanted = Wanted {
        references: references(&input).into_iter().map(str::to_owned).collect(),
        patience,
        progress: telling.as_progress(),
        cancel,
    };
    let desk = make_desk(wanted).await?;
    Ok(tool.call(&desk, &input).await?.to_json())
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::BadCursor(bad) => Self::BadCursor(bad),
            ToolError::Failed { response, .. } => Self::Failed(response),
            ToolError::Cancelled => Self::Cancelled,
        }
    }
}
