-- Operations with outside effects, while they are under way: anyone who starts
-- the same one again after a crash finds its key here, and with it what was
-- already done.
CREATE TABLE operations (
    -- Drawn once; it marks the effects.
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    -- What it is about: the same subject again is the same operation.
    subject TEXT NOT NULL,
    -- What is known so far, in the operation's own words.
    notes TEXT NOT NULL,
    started INTEGER NOT NULL,
    UNIQUE (kind, subject)
) STRICT;
