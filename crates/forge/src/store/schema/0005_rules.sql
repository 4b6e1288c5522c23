-- Branch protection: one row per branch name or pattern. Lists are JSON.
CREATE TABLE branch_protections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    pattern TEXT NOT NULL,
    enforce_admins INTEGER NOT NULL DEFAULT 0,
    -- Null: no checks are required. Otherwise a list of {context, app_id}.
    checks TEXT,
    strict_checks INTEGER NOT NULL DEFAULT 0,
    -- Null: no pull request is required.
    approvals INTEGER,
    dismiss_stale_reviews INTEGER NOT NULL DEFAULT 0,
    code_owner_reviews INTEGER NOT NULL DEFAULT 0,
    last_push_approval INTEGER NOT NULL DEFAULT 0,
    -- User ids; null: whoever may write may dismiss.
    dismissal_users TEXT,
    -- User ids that need no pull request.
    bypass_users TEXT NOT NULL DEFAULT '[]',
    -- User ids; null: whoever may write may push.
    push_users TEXT,
    linear_history INTEGER NOT NULL DEFAULT 0,
    force_pushes INTEGER NOT NULL DEFAULT 0,
    deletions INTEGER NOT NULL DEFAULT 0,
    block_creations INTEGER NOT NULL DEFAULT 0,
    conversation_resolution INTEGER NOT NULL DEFAULT 0,
    lock_branch INTEGER NOT NULL DEFAULT 0,
    fork_syncing INTEGER NOT NULL DEFAULT 0,
    signatures INTEGER NOT NULL DEFAULT 0,
    UNIQUE (repository_id, pattern)
) STRICT;

-- Of a repository or of all repositories of an organisation.
CREATE TABLE rulesets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER REFERENCES repositories (id) ON DELETE CASCADE,
    organization_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    target TEXT NOT NULL CHECK (target IN ('branch', 'tag', 'push')),
    enforcement TEXT NOT NULL CHECK (enforcement IN ('disabled', 'active', 'evaluate')),
    -- JSON, in GitHub's words.
    bypass_actors TEXT NOT NULL,
    conditions TEXT NOT NULL,
    rules TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((repository_id IS NULL) <> (organization_id IS NULL))
) STRICT;
CREATE INDEX rulesets_of_repository ON rulesets (repository_id);
CREATE INDEX rulesets_of_organization ON rulesets (organization_id);
