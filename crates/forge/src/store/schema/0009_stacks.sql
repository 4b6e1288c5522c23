-- GitHub's own stacks. A row without members is a stack that was dissolved: its number is not
-- given to another.
CREATE TABLE stacks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    -- Where all of it goes in the end.
    base_ref TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (repository_id, number)
) STRICT;

-- From the bottom up in the order of their ids.
CREATE TABLE stack_members (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stack_id INTEGER NOT NULL REFERENCES stacks (id) ON DELETE CASCADE,
    pull_id INTEGER NOT NULL UNIQUE REFERENCES pulls (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX stack_members_of_stack ON stack_members (stack_id);
