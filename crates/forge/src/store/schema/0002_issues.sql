CREATE TABLE milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    creator_id INTEGER NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    description TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'closed')) DEFAULT 'open',
    due_on TEXT,
    closed_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (repository_id, number)
) STRICT;

-- Issues and pull requests: they share numbers, comments, labels, assignees,
-- reactions and the timeline.
CREATE TABLE issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    is_pull INTEGER NOT NULL DEFAULT 0,
    author_id INTEGER NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    body TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'closed')) DEFAULT 'open',
    -- completed, not_planned, duplicate, reopened; null where it was never closed.
    state_reason TEXT,
    locked INTEGER NOT NULL DEFAULT 0,
    lock_reason TEXT,
    milestone_id INTEGER REFERENCES milestones (id) ON DELETE SET NULL,
    closed_at TEXT,
    closed_by_id INTEGER REFERENCES users (id),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (repository_id, number)
) STRICT;
CREATE INDEX issues_by_state ON issues (repository_id, is_pull, state, number);

CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    name TEXT NOT NULL COLLATE NOCASE,
    -- Six hexadecimal digits.
    color TEXT NOT NULL,
    description TEXT,
    is_default INTEGER NOT NULL DEFAULT 0,
    UNIQUE (repository_id, name)
) STRICT;

CREATE TABLE issue_labels (
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    PRIMARY KEY (issue_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issues_of_label ON issue_labels (label_id);

CREATE TABLE assignees (
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (issue_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    author_id INTEGER NOT NULL REFERENCES users (id),
    body TEXT NOT NULL,
    -- Why it is folded away; null where it is shown.
    minimized_reason TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX comments_of_issue ON comments (issue_id, id);

CREATE TABLE reactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- 'issue' (or pull request), 'comment', 'review_comment', 'review'
    subject TEXT NOT NULL,
    subject_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id),
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (subject, subject_id, user_id, content)
) STRICT;

-- What happened to an issue or pull request, as its page shows it. Comments and
-- reviews are not here: they are found in their own tables.
CREATE TABLE timeline (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    actor_id INTEGER REFERENCES users (id),
    -- GitHub's word: closed, reopened, labeled, assigned, renamed, merged, ...
    event TEXT NOT NULL,
    -- What belongs to it, as JSON: the label, the assignee's id, the commit ...
    data TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX timeline_of_issue ON timeline (issue_id, id);
