-- Whether the commands of a checks file that is pushed are executed. An
-- administrator of the forge decides that for each repository.
ALTER TABLE repositories ADD COLUMN pushed_checks INTEGER NOT NULL DEFAULT 0;
