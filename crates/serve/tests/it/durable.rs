//! Work that is found by its own name, also by a server that did not start it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use baton_ops::operation::never;
use baton_ops::{Fault, OpError};
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use baton_serve::mcp::{Answer, Durable, Phase, Reply, Server, Standing, ToolDef};
use serde_json::{Value, json};

use crate::client::{Client, NEWEST};
use crate::tools;

/// The work that lasts, by name.
#[derive(Clone, Default)]
struct Errands(Arc<Mutex<BTreeMap<String, Phase>>>);

impl Errands {
    fn set(&self, name: &str, phase: Phase) {
        self.0.lock().unwrap().insert(name.to_owned(), phase);
    }

    /// A server that knows them, and the only one so far.
    fn server(&self) -> Server {
        let errands = self.clone();
        let begin = move |name: &str| -> Result<Value, OpError> {
            if name.is_empty() {
                let refused = ErrorResponse::new(ErrorCategory::User, "no name");
                return Err(OpError::new(Fault::Caller, refused));
            }
            errands.set(name, Phase::Working);
            Ok(output(name, "begun"))
        };
        let begin = tools::tool("begin_errand", never, move |call| {
            let outcome = begin(call.input["name"].as_str().unwrap_or_default());
            Box::pin(async move { outcome })
        });
        let begin = ToolDef {
            durable: Some(Arc::new(self.clone())),
            ..begin
        };
        Server::new("1.2.3", vec![begin], tools::context())
    }
}

impl Durable for Errands {
    fn name_in(&self, output: &Value) -> Option<String> {
        output["details"]["name"].as_str().map(str::to_owned)
    }

    fn look<'a>(&'a self, name: &'a str) -> Reply<'a, Option<Standing>> {
        let phase = self.0.lock().unwrap().get(name).cloned();
        Box::pin(async move {
            if name == "unreadable" {
                let error = ErrorResponse::new(ErrorCategory::Logical, "it is\u{1b}[2J damaged")
                    .suggest("Begin another.");
                return Err(OpError::new(Fault::Local, error));
            }
            Ok(phase.map(|phase| Standing {
                name: name.to_owned(),
                created: "2031-05-06T10:00:00Z".to_owned(),
                changed: "2031-05-06T10:00:05Z".to_owned(),
                doing: "going\u{1b}[2J about it".to_owned(),
                phase,
            }))
        })
    }

    fn answer<'a>(&'a self, name: &'a str, answer: Answer) -> Reply<'a, ()> {
        self.set(name, Phase::Completed(output(name, &format!("{answer:?}"))));
        Box::pin(async { Ok(()) })
    }

    fn cancel<'a>(&'a self, name: &'a str) -> Reply<'a, ()> {
        self.set(name, Phase::Cancelled);
        Box::pin(async { Ok(()) })
    }
}

fn output(name: &str, text: &str) -> Value {
    json!({ "error": text, "category": "user", "details": { "name": name } })
}

fn asks() -> Phase {
    Phase::Asks {
        key: "004-ask".to_owned(),
        question: tools::question(),
    }
}

fn capabilities() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} }, "elicitation": {} })
}

async fn get(client: &mut Client, name: &str) -> Value {
    client.request("tasks/get", json!({ "taskId": name })).await["result"].clone()
}

async fn update(client: &mut Client, name: &str, key: &str, response: Value) -> Value {
    let params = json!({ "taskId": name, "inputResponses": { key: response } });
    client.request("tasks/update", params).await
}

#[tokio::test]
async fn a_task_has_the_name_of_the_work() {
    let errands = Errands::default();
    let mut client = Client::ready(&errands.server(), NEWEST, capabilities()).await;
    let begun = client.call("begin_errand", json!({ "name": "one" })).await;
    insta::assert_snapshot!(format!("{:#}", begun["result"]), @r#"
    {
      "resultType": "task",
      "taskId": "one",
      "status": "working",
      "statusMessage": "going�[2J about it",
      "createdAt": "2031-05-06T10:00:00Z",
      "lastUpdatedAt": "2031-05-06T10:00:05Z",
      "ttlMs": null,
      "pollIntervalMs": 5000
    }
    "#);
    // Work that has not started is no task.
    let refused = client.call("begin_errand", json!({})).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    // Clients that do not support tasks get the usual answer.
    for (version, capabilities) in [(NEWEST, json!({})), ("2025-11-25", capabilities())] {
        let mut client = Client::ready(&errands.server(), version, capabilities).await;
        let begun = client.call("begin_errand", json!({ "name": "two" })).await;
        assert_eq!(
            begun["result"]["structuredContent"]["error"], "begun",
            "{begun}"
        );
    }
}

#[tokio::test]
async fn another_server_knows_it_too() {
    let errands = Errands::default();
    let mut client = Client::ready(&errands.server(), NEWEST, capabilities()).await;
    client.call("begin_errand", json!({ "name": "one" })).await;
    client.leave().await.unwrap();
    let mut client = Client::ready(&errands.server(), NEWEST, capabilities()).await;
    assert_eq!(get(&mut client, "one").await["status"], "working");

    errands.set("one", Phase::Completed(output("one", "done")));
    let done = get(&mut client, "one").await;
    assert_eq!(done["status"], "completed");
    assert_eq!(done["result"]["structuredContent"]["error"], "done");
    errands.set("one", Phase::Failed(output("one", "in vain")));
    let failed = get(&mut client, "one").await;
    assert_eq!(failed["status"], "failed");
    insta::assert_snapshot!(format!("{:#}", failed["error"]), @r#"
    {
      "code": -32603,
      "message": "going�[2J about it",
      "data": {
        "error": "in vain",
        "category": "user",
        "details": {
          "name": "one"
        }
      }
    }
    "#);
}

#[tokio::test]
async fn its_question_is_answered_once() {
    let errands = Errands::default();
    errands.set("one", asks());
    let mut client = Client::ready(&errands.server(), NEWEST, capabilities()).await;
    let asked = get(&mut client, "one").await;
    assert_eq!(asked["status"], "input_required");
    let request = &asked["inputRequests"]["004-ask"];
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "Tests fail. What now?");
    let fields = &request["params"]["requestedSchema"];
    assert_eq!(
        fields["properties"]["choice"]["enum"],
        json!(["Retry again", "Skip"])
    );
    assert_eq!(fields["required"], json!(["choice"]));

    let accepts = |choice: &str| json!({ "action": "accept", "content": { "choice": choice, "comment": " soon " } });
    for (key, response) in [
        ("003-ask", accepts("Skip")),
        ("004-ask", accepts("s")),
        ("004-ask", json!({ "action": "decline" })),
        ("004-ask", json!("Skip")),
    ] {
        let told = update(&mut client, "one", key, response).await;
        assert_eq!(told["result"]["resultType"], "complete", "{told}");
        assert_eq!(get(&mut client, "one").await["status"], "input_required");
    }
    update(&mut client, "one", "004-ask", accepts("Skip")).await;
    let done = get(&mut client, "one").await;
    assert_eq!(
        done["result"]["structuredContent"]["error"],
        r#"Answer { question: "004-ask", choice: 's', comment: Some("soon") }"#
    );
    update(&mut client, "one", "004-ask", accepts("Retry again")).await;
    assert_eq!(get(&mut client, "one").await, done);
}

#[tokio::test]
async fn a_client_that_cannot_ask_sees_the_task_as_working() {
    let errands = Errands::default();
    errands.set("one", asks());
    let mut only_tasks = capabilities();
    only_tasks.as_object_mut().unwrap().remove("elicitation");
    let mut client = Client::ready(&errands.server(), NEWEST, only_tasks).await;
    assert_eq!(get(&mut client, "one").await["status"], "working");
}

#[tokio::test]
async fn it_is_cancelled_by_its_name() {
    let errands = Errands::default();
    let mut client = Client::ready(&errands.server(), NEWEST, capabilities()).await;
    client.call("begin_errand", json!({ "name": "one" })).await;
    let cancelled = client
        .request("tasks/cancel", json!({ "taskId": "one" }))
        .await;
    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
    assert_eq!(get(&mut client, "one").await["status"], "cancelled");
}

#[tokio::test]
async fn unknown_and_unreadable_work_are_errors() {
    let errands = Errands::default();
    let mut client = Client::ready(&errands.server(), NEWEST, capabilities()).await;
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params = json!({ "taskId": "made-up", "inputResponses": {} });
        let unknown = client.request(method, params).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
    let params = json!({ "taskId": "unreadable" });
    let unreadable = client.request("tasks/get", params).await;
    insta::assert_snapshot!(format!("{:#}", unreadable["error"]), @r#"
    {
      "code": -32603,
      "message": "it is�[2J damaged\nWhat to do: Begin another."
    }
    "#);
}
