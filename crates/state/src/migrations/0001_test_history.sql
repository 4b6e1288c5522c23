-- Names are stored once: a suite has thousands of tests and runs on many trees.
CREATE TABLE repository (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE test (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repository (id),
    name TEXT NOT NULL,
    UNIQUE (repository, name)
) STRICT;

CREATE TABLE tree (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repository (id),
    name TEXT NOT NULL,
    UNIQUE (repository, name)
) STRICT;

-- What came of one test on one tree. Times are in microseconds, moments since 1970.
CREATE TABLE test_history (
    test INTEGER NOT NULL REFERENCES test (id),
    tree INTEGER NOT NULL REFERENCES tree (id),
    -- The repository of both, repeated for the index below.
    repository INTEGER NOT NULL REFERENCES repository (id),
    runs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    -- How often an outcome differed from the one before it.
    flips INTEGER NOT NULL,
    -- Runs whose duration is known, and the sum of their durations.
    timed_runs INTEGER NOT NULL,
    total_duration INTEGER NOT NULL,
    last_failed INTEGER NOT NULL CHECK (last_failed IN (0, 1)),
    last_seen INTEGER NOT NULL,
    flaky INTEGER NOT NULL GENERATED ALWAYS AS (flips > 0) VIRTUAL,
    PRIMARY KEY (test, tree)
) STRICT, WITHOUT ROWID;

-- Finds the flaky tests of a repository, and in order what is to be forgotten first.
CREATE INDEX test_history_by_worth ON test_history (repository, flaky, last_seen);

-- Tells whether a tree is still needed.
CREATE INDEX test_history_by_tree ON test_history (tree);
