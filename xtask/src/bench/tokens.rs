//! `cargo xtask bench tokens`: what the list of tools and typical answers cost a model, beside the npm
//! server, asked about the same pull request on a local forge.

use std::fs;

use serde_json::Value;

use super::table::Table;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::peers;
use crate::program::Program;
use crate::project::Project;

/// Prints the number of tokens of each line of a file.
const COUNT: &str = "const { encode } = require('gpt-tokenizer/encoding/o200k_base'); \
    const lines = require('fs').readFileSync(process.argv[1], 'utf8').trim().split('\\n'); \
    console.log(JSON.stringify(lines.map(line => encode(line).length)));";

/// The test that asks, and prints `answer`, server, tool and result with tabs in between.
const ASKS: [&str; 10] = [
    "test",
    "--quiet",
    "--package=baton",
    "--test=it",
    "--",
    "--ignored",
    "--exact",
    "--nocapture",
    "--test-threads=1",
    "mcp::token_cost::answers_about_a_typical_pull_request",
];

struct Answer {
    server: String,
    tool: String,
    result: String,
}

pub(crate) fn run(project: &Project, environment: &Environment) -> Result<(), Failure> {
    let node = peers::ensure(environment, &peers::MCP)?;
    peers::ensure(environment, &peers::TOKENS)?;
    let printed = Program::new("cargo")
        .args(ASKS)
        .current_dir(&project.root)
        .env("BATON_PEERS_DIR", &environment.peers)
        .stdout()?;
    let printed = String::from_utf8_lossy(&printed);
    let answers: Vec<Answer> = printed.lines().filter_map(read).collect();
    if answers.is_empty() {
        return Err(Failure::new("the test printed no answer"));
    }
    let file = project.target.join("bench-tokens.jsonl");
    let lines: Vec<&str> = answers.iter().map(|one| one.result.as_str()).collect();
    fs::write(&file, lines.join("\n")).map_err(Failure::could_not("write the answers"))?;
    let counted = Program::new(node)
        .args(["--eval", COUNT])
        .args([&file])
        .current_dir(&environment.peers.join(peers::TOKENS.name))
        .stdout()?;
    let counts: Vec<u64> = serde_json::from_slice(&counted)
        .map_err(Failure::could_not("read the numbers of tokens"))?;
    print!("{}", table(&answers, &counts));
    Ok(())
}

fn read(line: &str) -> Option<Answer> {
    let mut parts = line.strip_prefix("answer\t")?.splitn(3, '\t');
    Some(Answer {
        server: parts.next()?.to_owned(),
        tool: parts.next()?.to_owned(),
        result: parts.next()?.to_owned(),
    })
}

fn table(answers: &[Answer], counts: &[u64]) -> Table {
    let mut table = Table::new("Tokens", &["answer", "tokens"]);
    for (answer, count) in answers.iter().zip(counts) {
        let tools = serde_json::from_str::<Value>(&answer.result)
            .ok()
            .and_then(|result| Some(result["tools"].as_array()?.len()));
        let tools = tools.map_or_else(String::new, |tools| format!(", {tools} tools"));
        table.row([
            format!("{}: `{}`{tools}", answer.server, answer.tool),
            count.to_string(),
        ]);
    }
    table.note("Counted with gpt-tokenizer (o200k_base) over the JSON of each result.");
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_picked_out_of_what_a_test_prints() {
        let answer = read("answer\tbaton mcp\ttools/list\t{\"tools\":[{},{}]}").unwrap();
        let shown = table(&[answer], &[7]).to_string();
        assert!(
            shown.contains("| baton mcp: `tools/list`, 2 tools | 7 |"),
            "{shown}"
        );
        assert!(read("running 1 test").is_none());
    }
}
