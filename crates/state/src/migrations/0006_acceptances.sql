-- What a person has accepted for a repository: a finding, or another piece of
-- evidence, by its fingerprint.
CREATE TABLE acceptances (
    repository TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    rule TEXT NOT NULL,
    -- What the person was shown.
    text TEXT NOT NULL,
    reason TEXT NOT NULL,
    author TEXT NOT NULL,
    accepted INTEGER NOT NULL,
    -- Absent: it holds until it is removed.
    expires INTEGER,
    -- Over all columns above, with a key that only people have.
    signature TEXT NOT NULL,
    PRIMARY KEY (repository, fingerprint)
) STRICT;
