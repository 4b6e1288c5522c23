-- Runs of workflows and what happened in them. What summary and bodies hold is
-- the business of the caller. Moments are in microseconds since 1970.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- The version of the bodies' format.
    format INTEGER NOT NULL,
    summary TEXT NOT NULL,
    -- The number of its last event.
    last INTEGER NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    ended INTEGER,
    -- Who drives the run, and until when that is believed without a sign of
    -- life.
    owner TEXT,
    leased_until INTEGER NOT NULL
) STRICT;

-- Lists the newest runs, and finds in order what is to be forgotten first.
CREATE INDEX run_by_creation ON run (created);
CREATE INDEX run_by_end ON run (ended);

-- The key is the fence: no two drivers write the same event.
CREATE TABLE run_event (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

-- What others have to say to a run's driver, until it has taken note.
CREATE TABLE run_message (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE INDEX run_message_by_run ON run_message (run, id);

-- What a step wants to find again after a crash.
CREATE TABLE run_note (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    step TEXT NOT NULL,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run, step, name)
) STRICT, WITHOUT ROWID;

-- Places of which there are only so many, for all processes together.
CREATE TABLE place (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    holder TEXT NOT NULL,
    owner TEXT NOT NULL,
    leased_until INTEGER NOT NULL,
    UNIQUE (kind, holder)
) STRICT;
