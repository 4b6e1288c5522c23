//! The findings of any scanner out of its SARIF log.

use std::path::Path;

use serde_json::Value;

use super::score::Alarm;
use crate::failure::Failure;

/// All results of a log, with paths relative to `folder`. `numbers` knows
/// more of a rule's weaknesses than the scanner itself names.
pub(super) fn alarms(
    log: &[u8],
    folder: &Path,
    numbers: fn(&str) -> Vec<u32>,
) -> Result<Vec<Alarm>, Failure> {
    let log: Value = serde_json::from_slice(log).map_err(Failure::could_not("read SARIF"))?;
    let runs = log["runs"]
        .as_array()
        .ok_or_else(|| Failure::new("the SARIF log has no runs"))?;
    let of_run = |run| {
        let results = run_results(run);
        results.filter_map(move |result| alarm(run, result, folder, numbers))
    };
    Ok(runs.iter().flat_map(of_run).collect())
}

fn run_results(run: &Value) -> impl Iterator<Item = &Value> {
    run["results"].as_array().into_iter().flatten()
}

fn alarm(
    run: &Value,
    result: &Value,
    folder: &Path,
    numbers: fn(&str) -> Vec<u32>,
) -> Option<Alarm> {
    let place = &result["locations"][0]["physicalLocation"];
    let region = &place["region"];
    let start = line(&region["startLine"])?;
    let end = line(&region["endLine"]).unwrap_or(start);
    let id = result["ruleId"].as_str().unwrap_or_default();
    let rules = run["tool"]["driver"]["rules"].as_array();
    let rule = rules.into_iter().flatten().find(|rule| rule["id"] == id);
    let mut cwes: Vec<u32> = [Some(result), rule]
        .into_iter()
        .flatten()
        .flat_map(weaknesses)
        .chain(numbers(id))
        .collect();
    cwes.sort_unstable();
    cwes.dedup();
    Some(Alarm {
        path: relative(place["artifactLocation"]["uri"].as_str()?, folder),
        lines: (start, end.max(start)),
        cwes,
    })
}

fn line(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

/// Out of tags such as `external/cwe/cwe-089` and `CWE-89: …`.
fn weaknesses(carrier: &Value) -> Vec<u32> {
    let properties = &carrier["properties"];
    let tags = properties["tags"].as_array().into_iter().flatten();
    tags.chain([&properties["cwe"]])
        .filter_map(|tag| {
            let tag = tag.as_str()?.to_ascii_lowercase();
            let (_, number) = tag.split_once("cwe-")?;
            let end = number.find(|letter: char| !letter.is_ascii_digit());
            number[..end.unwrap_or(number.len())].parse().ok()
        })
        .collect()
}

fn relative(uri: &str, folder: &Path) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let below = Path::new(path).strip_prefix(folder);
    let path = below.ok().and_then(Path::to_str).unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn weaknesses_come_from_the_result_the_rule_or_a_table() {
        let place = |uri: &str, line: u32| {
            json!([{ "physicalLocation": {
                "artifactLocation": { "uri": uri },
                "region": { "startLine": line },
            }}])
        };
        let log = json!({ "runs": [{
            "tool": { "driver": { "rules": [
                { "id": "a", "properties": { "tags": ["security", "external/cwe/cwe-089"] } },
            ] } },
            "results": [
                { "ruleId": "a", "locations": place("./a.py", 3) },
                { "ruleId": "b", "locations": place("file:///data/set/b.py", 4), "properties": { "tags": ["CWE-79: words"] } },
                { "ruleId": "S605", "locations": place("c.py", 5) },
                { "ruleId": "nowhere" },
            ],
        }] });
        let alarms = alarms(log.to_string().as_bytes(), Path::new("/data/set"), |id| {
            (id == "S605").then_some(78).into_iter().collect()
        });
        let told: Vec<_> = alarms
            .unwrap()
            .into_iter()
            .map(|alarm| (alarm.path, alarm.lines, alarm.cwes))
            .collect();
        assert_eq!(
            told,
            [
                ("a.py".to_owned(), (3, 3), vec![89]),
                ("b.py".to_owned(), (4, 4), vec![79]),
                ("c.py".to_owned(), (5, 5), vec![78]),
            ]
        );
    }

    #[test]
    fn what_is_no_log_is_a_failure() {
        assert!(alarms(b"not a log", Path::new("/"), |_| Vec::new()).is_err());
        assert!(alarms(b"{}", Path::new("/"), |_| Vec::new()).is_err());
    }
}
