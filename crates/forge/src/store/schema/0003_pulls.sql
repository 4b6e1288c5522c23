-- A pull request is an issue with branches: number, title, body, author, state
-- and times are in the row of `issues` with the same id.
CREATE TABLE pulls (
    id INTEGER PRIMARY KEY REFERENCES issues (id) ON DELETE CASCADE,
    draft INTEGER NOT NULL DEFAULT 0,
    base_ref TEXT NOT NULL,
    -- The tip of the base branch; stays as it was once the pull request is closed.
    base_sha TEXT NOT NULL,
    -- Null once the fork is gone; whose it was stays known.
    head_repository_id INTEGER REFERENCES repositories (id) ON DELETE SET NULL,
    head_owner_id INTEGER NOT NULL REFERENCES users (id),
    head_ref TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    maintainer_can_modify INTEGER NOT NULL DEFAULT 0,
    merged_at TEXT,
    merged_by INTEGER REFERENCES users (id),
    merge_commit_sha TEXT,
    -- Who pushed the newest commit of the head, for the rule that somebody else approves it.
    pushed_by INTEGER REFERENCES users (id)
) STRICT;
CREATE INDEX pulls_of_head ON pulls (head_repository_id, head_ref);
CREATE INDEX pulls_of_head_commit ON pulls (head_sha);
CREATE INDEX pulls_of_merge_commit ON pulls (merge_commit_sha) WHERE merge_commit_sha IS NOT NULL;

-- "Merge it as soon as it may be merged."
CREATE TABLE auto_merges (
    pull_id INTEGER PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
    enabled_by INTEGER NOT NULL REFERENCES users (id),
    enabled_at TEXT NOT NULL,
    method TEXT NOT NULL CHECK (method IN ('merge', 'squash', 'rebase')),
    commit_title TEXT,
    commit_message TEXT
) STRICT;

-- What is derived from the commits. A row holds for its pair of commits and is
-- replaced when one of them moves.
CREATE TABLE pull_counts (
    pull_id INTEGER PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
    base_sha TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    merge_base_sha TEXT NOT NULL,
    commits INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    additions INTEGER NOT NULL,
    deletions INTEGER NOT NULL,
    changed_files INTEGER NOT NULL
) STRICT;
CREATE TABLE merge_trials (
    pull_id INTEGER PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
    base_sha TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    -- The merged content; null when there are conflicts.
    tree_sha TEXT,
    -- The commit that `refs/pull/N/merge` names.
    commit_sha TEXT,
    -- Null until it was tried.
    rebaseable INTEGER
) STRICT;

-- A merge between "decided" and "recorded": the base branch may have moved.
CREATE TABLE merges_under_way (
    pull_id INTEGER PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
    commit_sha TEXT NOT NULL,
    merged_by INTEGER NOT NULL REFERENCES users (id)
) STRICT;

CREATE TABLE review_requests (
    pull_id INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    as_code_owner INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    PRIMARY KEY (pull_id, user_id)
) STRICT;

CREATE TABLE reviews (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pull_id INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    body TEXT NOT NULL,
    state TEXT NOT NULL
        CHECK (state IN ('PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')),
    commit_sha TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    submitted_at TEXT,
    dismissal_message TEXT
) STRICT;
CREATE INDEX reviews_of_pull ON reviews (pull_id);
-- Nobody has two unsubmitted reviews of one pull request.
CREATE UNIQUE INDEX pending_review ON reviews (pull_id, user_id) WHERE state = 'PENDING';

-- A conversation about some lines. The lines without `original_` are those of
-- the newest commit; null once they have changed: the thread is outdated.
CREATE TABLE review_threads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pull_id INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    subject_type TEXT NOT NULL CHECK (subject_type IN ('line', 'file')),
    side TEXT NOT NULL CHECK (side IN ('LEFT', 'RIGHT')),
    start_side TEXT CHECK (start_side IN ('LEFT', 'RIGHT')),
    line INTEGER,
    start_line INTEGER,
    position INTEGER,
    commit_sha TEXT NOT NULL,
    original_line INTEGER,
    original_start_line INTEGER,
    original_position INTEGER,
    original_commit_sha TEXT NOT NULL,
    outdated INTEGER NOT NULL DEFAULT 0,
    diff_hunk TEXT NOT NULL,
    resolved_by INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX review_threads_of_pull ON review_threads (pull_id);

-- Visible to its author alone while its review is pending.
CREATE TABLE review_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id INTEGER NOT NULL REFERENCES review_threads (id) ON DELETE CASCADE,
    review_id INTEGER NOT NULL REFERENCES reviews (id) ON DELETE CASCADE,
    in_reply_to_id INTEGER,
    user_id INTEGER NOT NULL REFERENCES users (id),
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX review_comments_of_thread ON review_comments (thread_id);
CREATE INDEX review_comments_of_review ON review_comments (review_id);

-- In the order of their ids, those that jump first.
CREATE TABLE merge_queue_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pull_id INTEGER NOT NULL UNIQUE REFERENCES pulls (id) ON DELETE CASCADE,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    base_ref TEXT NOT NULL,
    enqueued_by INTEGER NOT NULL REFERENCES users (id),
    enqueued_at TEXT NOT NULL,
    jump INTEGER NOT NULL DEFAULT 0,
    -- The head of the pull request that is to be merged.
    pull_sha TEXT NOT NULL,
    -- The commit that is checked, and what it is built on; null until it is built.
    base_sha TEXT,
    head_sha TEXT,
    built_at TEXT
) STRICT;
CREATE INDEX merge_queue_of_branch ON merge_queue_entries (repository_id, base_ref);

CREATE TABLE deployments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    sha TEXT NOT NULL,
    ref TEXT NOT NULL,
    task TEXT NOT NULL,
    -- JSON, as it was given.
    payload TEXT NOT NULL,
    environment TEXT NOT NULL,
    description TEXT,
    transient_environment INTEGER NOT NULL DEFAULT 0,
    production_environment INTEGER NOT NULL DEFAULT 0,
    creator_id INTEGER NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX deployments_of_commit ON deployments (repository_id, sha);

CREATE TABLE deployment_statuses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    deployment_id INTEGER NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    state TEXT NOT NULL
        CHECK (state IN ('error', 'failure', 'inactive', 'pending', 'success', 'queued', 'in_progress')),
    description TEXT NOT NULL,
    environment TEXT NOT NULL,
    environment_url TEXT NOT NULL,
    log_url TEXT NOT NULL,
    creator_id INTEGER NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX deployment_statuses_of_deployment ON deployment_statuses (deployment_id);

-- Who has to approve, from the file CODEOWNERS of the base branch and the files
-- that change: of each set, one of its users (a JSON list of ids).
CREATE TABLE code_owner_sets (
    pull_id INTEGER NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
    owners TEXT NOT NULL,
    PRIMARY KEY (pull_id, owners)
) STRICT, WITHOUT ROWID;
