-- Refs that were moved together, noted before the first of them is. What
-- about, place and name mean is the business of the caller.
CREATE TABLE ref_moves (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    about TEXT NOT NULL,
    -- 0: begun, 1: done, 2: undone.
    stage INTEGER NOT NULL CHECK (stage IN (0, 1, 2)),
    -- In microseconds since 1970.
    begun INTEGER NOT NULL
) STRICT;

CREATE INDEX ref_moves_by_subject ON ref_moves (about, id);

CREATE TABLE ref_move (
    moves INTEGER NOT NULL REFERENCES ref_moves (id) ON DELETE CASCADE,
    -- The order in which they were given.
    position INTEGER NOT NULL,
    place TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Absent where there was no such ref, or is none afterwards.
    old TEXT,
    new TEXT,
    PRIMARY KEY (moves, position)
) STRICT, WITHOUT ROWID;
