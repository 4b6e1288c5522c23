-- Branches that were made to work on an issue.
CREATE TABLE linked_branches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    -- In full: refs/heads/1-fix-it.
    ref_name TEXT NOT NULL,
    UNIQUE (issue_id, repository_id, ref_name)
) STRICT;
