CREATE TABLE hooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    content_type TEXT NOT NULL CHECK (content_type IN ('json', 'form')),
    -- Deliveries are signed with it, so it is kept as it is.
    secret TEXT,
    insecure_ssl TEXT NOT NULL DEFAULT '0',
    -- A JSON list of names, or of one star.
    events TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1,
    -- The last event before the hook was there; it is told what comes after.
    after_event_id INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX hooks_of_repository ON hooks (repository_id, id);

-- One attempt to tell a receiver. What is repeated is a row of its own with
-- the same `guid`.
CREATE TABLE hook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hook_id INTEGER NOT NULL REFERENCES hooks (id) ON DELETE CASCADE,
    guid TEXT NOT NULL,
    event TEXT NOT NULL,
    action TEXT,
    payload TEXT NOT NULL,
    redelivery INTEGER NOT NULL DEFAULT 0,
    -- How many attempts came before; those that somebody asked for start anew.
    attempt INTEGER NOT NULL DEFAULT 0,
    -- When it is to be sent, in milliseconds of the Unix clock; null once it was.
    due_at INTEGER,
    -- The rest is known once it was sent.
    delivered_at TEXT,
    duration REAL,
    status TEXT,
    status_code INTEGER,
    request_headers TEXT,
    response_headers TEXT,
    response_body TEXT
) STRICT;
CREATE INDEX deliveries_due ON hook_deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_of_hook ON hook_deliveries (hook_id, id);

-- How far the events have been told. One row.
CREATE TABLE hook_cursor (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    event_id INTEGER NOT NULL
) STRICT;
INSERT INTO hook_cursor (id, event_id) VALUES (1, 0);
