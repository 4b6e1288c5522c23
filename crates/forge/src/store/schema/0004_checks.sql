-- Who reports checks: an app and, where it is not the forge itself, the bot
-- that acts for it.
CREATE TABLE apps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slug TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT NOT NULL,
    bot_id INTEGER UNIQUE REFERENCES users (id),
    created_at TEXT NOT NULL
) STRICT;
-- The number and the names by which clients tell GitHub's own CI from others.
INSERT INTO apps (id, slug, name, created_at)
VALUES (15368, 'github-actions', 'GitHub Actions', '2018-07-30T09:30:17Z');

-- What one app has to say about one commit. Status and conclusion follow from
-- the latest check runs and are kept because lists ask for them.
CREATE TABLE check_suites (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    app_id INTEGER NOT NULL REFERENCES apps (id),
    head_branch TEXT,
    head_sha TEXT NOT NULL,
    -- Where the branch stood before the push that asked for the checks.
    before_sha TEXT,
    status TEXT NOT NULL,
    conclusion TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((status = 'completed') = (conclusion IS NOT NULL))
) STRICT;
CREATE INDEX check_suites_of_commit ON check_suites (repository_id, head_sha, app_id);

CREATE TABLE check_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    suite_id INTEGER NOT NULL REFERENCES check_suites (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    external_id TEXT NOT NULL DEFAULT '',
    -- Null: the forge's own page about it.
    details_url TEXT,
    status TEXT NOT NULL,
    conclusion TEXT,
    started_at TEXT,
    completed_at TEXT,
    title TEXT,
    summary TEXT,
    text TEXT,
    -- The buttons that the app offers, as the JSON it sent.
    actions TEXT,
    CHECK ((status = 'completed') = (conclusion IS NOT NULL))
) STRICT;
-- The latest run of a name counts, so the newest of each is asked for.
CREATE INDEX check_runs_of_suite ON check_runs (suite_id, name, id);

CREATE TABLE check_annotations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    check_run_id INTEGER NOT NULL REFERENCES check_runs (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    start_column INTEGER,
    end_column INTEGER,
    level TEXT NOT NULL,
    title TEXT,
    message TEXT NOT NULL,
    raw_details TEXT
) STRICT;
CREATE INDEX check_annotations_of_run ON check_annotations (check_run_id, id);

-- Never changed: a new state of a context is a new row, and the latest counts.
CREATE TABLE commit_statuses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    sha TEXT NOT NULL,
    context TEXT NOT NULL,
    state TEXT NOT NULL,
    description TEXT,
    target_url TEXT,
    creator_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX commit_statuses_of_commit ON commit_statuses (repository_id, sha, context, id);

CREATE TABLE workflows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'active',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (repository_id, path)
) STRICT;

-- Commit and branch are those of its suite.
CREATE TABLE workflow_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workflow_id INTEGER NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
    suite_id INTEGER NOT NULL UNIQUE REFERENCES check_suites (id) ON DELETE CASCADE,
    -- Counts within the workflow.
    number INTEGER NOT NULL,
    display_title TEXT NOT NULL,
    -- What started it: push, pull_request, merge_group, workflow_dispatch …
    event TEXT NOT NULL,
    head_repository_id INTEGER REFERENCES repositories (id) ON DELETE SET NULL,
    actor_id INTEGER REFERENCES users (id),
    -- Whether the built-in runner executes it; otherwise the API feeds it.
    built_in INTEGER NOT NULL,
    latest_attempt INTEGER NOT NULL DEFAULT 1,
    -- Somebody wants the latest attempt to end; its jobs do so when they can.
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    logs_deleted INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    UNIQUE (workflow_id, number)
) STRICT;
CREATE INDEX workflow_runs_of_head_repository ON workflow_runs (head_repository_id);

CREATE TABLE workflow_run_attempts (
    run_id INTEGER NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    triggering_actor_id INTEGER REFERENCES users (id),
    status TEXT NOT NULL,
    conclusion TEXT,
    started_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (run_id, number),
    CHECK ((status = 'completed') = (conclusion IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- A job is a check run with steps, a log and somebody who executes it.
CREATE TABLE workflow_jobs (
    id INTEGER PRIMARY KEY REFERENCES check_runs (id) ON DELETE CASCADE,
    run_id INTEGER NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    -- A JSON list of words.
    labels TEXT NOT NULL,
    runner_name TEXT,
    created_at TEXT NOT NULL,
    -- For the built-in runner: what to execute, for how many seconds at most,
    -- which test report to keep, and how often it was begun.
    command TEXT,
    time_limit INTEGER,
    report_path TEXT,
    begun INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX workflow_jobs_of_run ON workflow_jobs (run_id, attempt, id);

CREATE TABLE workflow_steps (
    job_id INTEGER NOT NULL REFERENCES workflow_jobs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    conclusion TEXT,
    started_at TEXT,
    completed_at TEXT,
    PRIMARY KEY (job_id, number),
    CHECK ((status = 'completed') = (conclusion IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The bytes are a zip file in the data folder.
CREATE TABLE artifacts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX artifacts_of_run ON artifacts (run_id, id);

-- Up to which event the built-in runner has looked for something to run.
CREATE TABLE runner_cursor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    event_id INTEGER NOT NULL
) STRICT;
INSERT INTO runner_cursor VALUES (1, 0);
-- Most events are none that a run could start with.
CREATE INDEX events_for_runner ON events (id) WHERE kind IN ('push', 'pull_request');
