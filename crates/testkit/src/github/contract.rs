//! GitHub's published descriptions, to hold requests and answers against.

use std::path::Path;

use serde_json::Value;

use super::{Answer, Exchange, GraphQl, OpenApi, Problem};
use crate::peer;

/// All that GitHub publishes of its API for requests and their answers.
#[derive(Debug)]
pub struct Contract {
    pub rest: OpenApi,
    pub graphql: GraphQl,
}

impl Contract {
    /// From the peers; `None`, after a loud line, where they are not installed. It takes
    /// two seconds, so the tests of a crate share one.
    pub fn find() -> Option<Self> {
        let folder = peer("github")?;
        Some(Self::load(&folder).expect("the installed descriptions can be read"))
    }

    pub fn load(folder: &Path) -> Result<Self, String> {
        Ok(Self {
            rest: OpenApi::load(&folder.join("rest.json"))?,
            graphql: GraphQl::load(&folder.join("schema.graphql"))?,
        })
    }

    /// Everything that is wrong with these requests and answers, each only once.
    pub fn check(&self, exchanges: &[Exchange]) -> Vec<Problem> {
        let requests = exchanges
            .iter()
            .flat_map(|exchange| self.check_request(exchange));
        sorted(requests.chain(self.check_answers(exchanges)).collect())
    }

    /// Only the answers, for a client that is not ours.
    pub fn check_answers(&self, exchanges: &[Exchange]) -> Vec<Problem> {
        let answers = exchanges
            .iter()
            .flat_map(|exchange| self.check_answer(exchange));
        sorted(answers.collect())
    }

    fn check_request(&self, exchange: &Exchange) -> Vec<Problem> {
        match Api::from_path(&exchange.path) {
            Api::None => Vec::new(),
            Api::GraphQl => self.graphql.check_request(&json(&exchange.request_body)),
            Api::Rest(path) => self.rest.check_request(
                &exchange.method,
                path,
                exchange.query.as_deref(),
                &exchange.request_body,
            ),
        }
    }

    fn check_answer(&self, exchange: &Exchange) -> Vec<Problem> {
        // What broke off on the way cannot be judged.
        if !exchange.complete {
            return Vec::new();
        }
        match Api::from_path(&exchange.path) {
            Api::None => Vec::new(),
            // A request that was not let in is refused as REST does.
            Api::GraphQl if exchange.status != 200 => Vec::new(),
            Api::GraphQl => self.graphql.check_response(
                &json(&exchange.request_body),
                &json(&exchange.response_body),
            ),
            Api::Rest(path) => {
                let answer = Answer {
                    status: exchange.status,
                    content_type: exchange.response_header("content-type").unwrap_or_default(),
                    body: &exchange.response_body,
                };
                self.rest.check_response(&exchange.method, path, answer)
            }
        }
    }
}

enum Api<'a> {
    /// A path below the API's root.
    Rest(&'a str),
    GraphQl,
    /// git, pages, and what a forge offers beyond GitHub's API.
    None,
}

impl<'a> Api<'a> {
    fn from_path(path: &'a str) -> Self {
        // GitHub Enterprise and forges have the API below a prefix.
        let path = path.strip_prefix("/api/v3").unwrap_or(path);
        match path {
            "/graphql" | "/api/graphql" => Self::GraphQl,
            _ if path.contains(".git/") || path.starts_with("/_") => Self::None,
            _ => Self::Rest(path),
        }
    }
}

/// What is no JSON is reported by those who expect some.
fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

fn sorted(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort();
    problems.dedup();
    problems
}
