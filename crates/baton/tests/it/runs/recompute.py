"""Recomputes every figure in the handoffs of a run that ended with a merge.

Usage: recompute.py HANDOFFS CLONE_URL API_URL TOKEN OWNER/NAME [TEST_COMMAND]

The figures come from git (a clone of its own), from the forge's REST API and from the
JUnit report that TEST_COMMAND writes to $JUNIT, on the commit before the change and on
the one that was merged. Nothing of baton is used. Prints a line for each figure and
ends with 1 where one differs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import xml.etree.ElementTree as ET
from pathlib import Path

HANDOFFS, CLONE_URL, API_URL, TOKEN, NAME = sys.argv[1:6]
TEST_COMMAND = sys.argv[6] if len(sys.argv) > 6 else None

wrong = []


def compare(what, said, is_really):
    same = str(said) == str(is_really)
    print(f"{'same' if same else 'DIFFERS'}: {what}: {said}" + ("" if same else f", really {is_really}"))
    if not same:
        wrong.append(what)


def api(path):
    request = urllib.request.Request(f"{API_URL}/repos/{NAME}/{path}", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def git(*args, at):
    return subprocess.run(["git", *args], cwd=at, check=True, capture_output=True, text=True).stdout.strip()


def tests_on(commit, at):
    """The names of the tests that pass and those that run, by the runner's own report."""
    git("checkout", "--quiet", "--force", commit, at=at)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        environment = {**os.environ, "JUNIT": str(report), "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(TEST_COMMAND, shell=True, cwd=at, env=environment, check=False, capture_output=True)
        cases = list(ET.parse(report).getroot().iter("testcase"))
    name = lambda case: f"{case.get('classname')}::{case.get('name')}"
    run = {name(case) for case in cases if case.find("skipped") is None}
    bad = {name(case) for case in cases if case.find("failure") is not None or case.find("error") is not None}
    return run, run - bad


def text(element, path):
    found = element.find(path)
    return None if found is None else found.text


documents = {path.stem.split("-", 1)[1]: ET.parse(path).getroot() for path in sorted(Path(HANDOFFS).glob("*.xml"))}
reviews = [ET.parse(path).getroot() for path in sorted(Path(HANDOFFS).glob("*-review.xml"))]
issue, prepare, publish = documents["issue"], documents["prepare"], documents["publish"]
merge, close = documents["merge"], documents["close"]

number = int(text(close, "pr_number"))
pull = api(f"pulls/{number}")
listed = api(f"pulls/{number}/commits?per_page=100")
real_issue = api(f"issues/{text(issue, 'issue_number')}")
base = text(prepare, "base_commit")
with tempfile.TemporaryDirectory() as clone:
    git("clone", "--quiet", CLONE_URL, clone, at="/")
    git("fetch", "--quiet", "origin", f"refs/pull/{number}/head", at=clone)
    head = git("rev-parse", "FETCH_HEAD", at=clone)
    compare("title of the issue", text(issue, "issue_title"), real_issue["title"])
    compare("address of the issue", text(issue, "issue_url"), real_issue["html_url"])
    compare("state of the issue", "closed", real_issue["state"])
    compare("branch", text(publish, "branch"), pull["head"]["ref"])
    compare("base", text(prepare, "base_branch"), pull["base"]["ref"])
    compare("commit of the base", base, git("merge-base", base, head, at=clone))
    compare("address of the pull request", text(close, "pr_url"), pull["html_url"])
    compare("merged", text(merge, "merge_status"), "merged" if pull["merged"] else "open")
    compare("commit of the merge", text(merge, "merge_sha"), pull["merge_commit_sha"])
    compare("files of the merge", sorted(git("diff", "--name-only", base, head, at=clone).split()),
            sorted(git("diff", "--name-only", f"{text(merge, 'merge_sha')}^1", text(merge, "merge_sha"), at=clone).split()))
    published = [commit.get("sha") for commit in publish.iter("commit")]
    made = git("rev-list", "--reverse", f"{base}..{head}", at=clone).split()
    compare("commits that were published", published, made[: len(published)])
    compare("commits in all", text(close, "metrics/total_commits"), len(listed))
    last = published[-1] if published else head
    files = git("diff", "--name-only", base, last, at=clone).split()
    compare("files changed", text(publish, "files_changed"), len(files))
    for review in reviews:
        reviewed = text(review, "reviewed_commit")
        if reviewed is not None:
            compare("reviewed commit is part of the branch", reviewed in made, True)
    compare("reviews", text(close, "metrics/review_iterations"), len(reviews))
    if TEST_COMMAND:
        before, _ = tests_on(base, clone)
        run, passed = tests_on(head, clone)
        # A test with several parameters is one test.
        plain = lambda names: {name.split("[")[0] for name in names}
        added = len(plain(run) - plain(before))
        compare("tests added", text(publish, "tests_added"), added)
        compare("tests added, in the end", text(close, "metrics/tests_added"), added)
        told = re.match(r"passed \((\d+)/(\d+)", text(merge, "validation_summary/tests") or "")
        compare("tests that passed", told and told[1], len(passed))
        compare("tests that ran", told and told[2], len(run))
        compare("tests that ran when it was published", text(publish, "tests_run"), len(run))

print(f"{len(wrong)} differences")
sys.exit(1 if wrong else 0)
