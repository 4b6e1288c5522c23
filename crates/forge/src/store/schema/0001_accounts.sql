-- Times are RFC 3339 text in UTC with seconds, as the API gives them.
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    login TEXT NOT NULL UNIQUE COLLATE NOCASE,
    kind TEXT NOT NULL CHECK (kind IN ('User', 'Organization', 'Bot')),
    name TEXT,
    email TEXT,
    site_admin INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
) STRICT;

-- Only a hash is kept: a copy of the database gives nobody access.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    -- Comma and space between them, as in X-OAuth-Scopes.
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Who belongs to an organisation.
CREATE TABLE members (
    organization_id INTEGER NOT NULL REFERENCES users (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    PRIMARY KEY (organization_id, user_id)
) STRICT;

CREATE TABLE repositories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL COLLATE NOCASE,
    description TEXT,
    private INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    -- Why access is blocked; null in a healthy repository.
    suspended TEXT,
    has_issues INTEGER NOT NULL DEFAULT 1,
    default_branch TEXT NOT NULL,
    allow_merge_commit INTEGER NOT NULL DEFAULT 1,
    allow_squash_merge INTEGER NOT NULL DEFAULT 1,
    allow_rebase_merge INTEGER NOT NULL DEFAULT 1,
    allow_auto_merge INTEGER NOT NULL DEFAULT 0,
    allow_update_branch INTEGER NOT NULL DEFAULT 1,
    delete_branch_on_merge INTEGER NOT NULL DEFAULT 0,
    squash_merge_commit_title TEXT NOT NULL DEFAULT 'COMMIT_OR_PR_TITLE',
    squash_merge_commit_message TEXT NOT NULL DEFAULT 'COMMIT_MESSAGES',
    merge_commit_title TEXT NOT NULL DEFAULT 'MERGE_MESSAGE',
    merge_commit_message TEXT NOT NULL DEFAULT 'PR_TITLE',
    fork_of INTEGER REFERENCES repositories (id) ON DELETE SET NULL,
    -- A repository that lies elsewhere on this machine; null: in the data folder.
    path TEXT,
    -- The command that the built-in runner executes for every pushed commit.
    check_command TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    pushed_at TEXT,
    UNIQUE (owner_id, name)
) STRICT;

-- Old names, answered with a redirect.
CREATE TABLE repository_redirects (
    owner_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL COLLATE NOCASE,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    PRIMARY KEY (owner_id, name)
) STRICT;

CREATE TABLE collaborators (
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    permission TEXT NOT NULL CHECK (permission IN ('read', 'triage', 'write', 'maintain', 'admin')),
    PRIMARY KEY (repository_id, user_id)
) STRICT;

-- Branches and tags as they were when the forge last looked. What differs from
-- git was pushed since then: by a push that is being answered, by one whose
-- aftermath a crash cut off, or by somebody who wrote to the folder directly.
CREATE TABLE refs (
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    oid TEXT NOT NULL,
    PRIMARY KEY (repository_id, name)
) STRICT, WITHOUT ROWID;

-- What happened, in order, written with the change itself. `subject_id` is the
-- row of the thing that `kind` names (an issue for `issues`, and so on).
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    actor_id INTEGER REFERENCES users (id),
    kind TEXT NOT NULL,
    action TEXT,
    subject_id INTEGER,
    -- What cannot be found again later (a push's before and after), as JSON.
    data TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX events_of_repository ON events (repository_id, id);
