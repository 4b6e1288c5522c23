//! The client of the library that the server is made with, over both
//! transports.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProtocolVersion,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::http::{Hosted, TOKEN};
use crate::tools::{self, Waiting};

/// Chooses `Skip`.
#[derive(Clone)]
struct Person;

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let choice = json!({ "choice": "Skip" });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(choice))
    }
}

fn lifecycles() -> [ClientLifecycleMode; 2] {
    let discover = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    [ClientLifecycleMode::Initialize, discover]
}

async fn use_everything(client: &RunningService<RoleClient, Person>) {
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "greet"));
    let call = |name: &'static str| client.call_tool(CallToolRequestParams::new(name));
    let answer = call("greet").await.unwrap();
    assert_eq!(answer.structured_content.unwrap()["error"], "Hello, you!");
    let answer = call("test_error_handling").await.unwrap();
    assert_eq!(answer.is_error, Some(true));
    call("nope").await.unwrap_err();
    let answer = call("test_input_required_result_multi_round")
        .await
        .unwrap();
    assert_eq!(
        answer.structured_content.unwrap()["error"],
        "state-ok [Some('s'), Some('s')]"
    );
    assert_eq!(client.list_all_prompts().await.unwrap(), []);
    assert!(!client.list_all_resources().await.unwrap().is_empty());
}

#[tokio::test]
async fn over_a_pipe() {
    for lifecycle in lifecycles() {
        let (server, _) = tools::server();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let serving =
            tokio::spawn(
                async move { server.serve(reader, writer, CancellationToken::new()).await },
            );
        let client = Person.serve_with_lifecycle(ours, lifecycle).await.unwrap();
        use_everything(&client).await;
        client.cancel().await.unwrap();
        serving.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn over_http() {
    // Another test may have done it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    for lifecycle in lifecycles() {
        let hosted = Hosted::start().await;
        let url = baton_serve::http::url(hosted.address);
        let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(TOKEN);
        let transport = StreamableHttpClientTransport::from_config(config);
        let client = Person
            .serve_with_lifecycle(transport, lifecycle)
            .await
            .unwrap();
        use_everything(&client).await;
        client.cancel().await.unwrap();
        hosted.end().await;
    }
}

/// A server that is cancelled ends while clients are connected and a call is
/// running.
#[tokio::test]
async fn ending_the_server_ends_what_is_under_way() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut hosted = Hosted::start().await;
    let url = baton_serve::http::url(hosted.address);
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(TOKEN);
    let transport = StreamableHttpClientTransport::from_config(config);
    let client = Person
        .serve_with_lifecycle(transport, ClientLifecycleMode::Initialize)
        .await
        .unwrap();
    let peer = client.peer().clone();
    let call = tokio::spawn(async move {
        let params = CallToolRequestParams::new("waits");
        let _ = peer.call_tool_once(params).await;
    });
    assert_eq!(hosted.waiting.recv().await, Some(Waiting::Began));
    let mut waiting = hosted.end().await;
    assert_eq!(waiting.recv().await, Some(Waiting::WasCancelled));
    call.abort();
}
