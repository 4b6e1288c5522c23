-- Answers of servers, to be confirmed rather than sent again. What key, head
-- and body hold is the business of the caller.
CREATE TABLE http_cache (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    head BLOB NOT NULL,
    body BLOB NOT NULL,
    -- Of key, head and body, in bytes.
    size INTEGER NOT NULL,
    -- In microseconds since 1970.
    last_used INTEGER NOT NULL
) STRICT;

-- Gives the size of all, and in order what is to be forgotten first, without
-- touching the bodies.
CREATE INDEX http_cache_by_use ON http_cache (last_used, size);
