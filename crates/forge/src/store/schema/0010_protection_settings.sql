-- What a branch protection asks for is one JSON object, as it is read and written only as a whole.
CREATE TABLE protections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
    pattern TEXT NOT NULL,
    settings TEXT NOT NULL,
    UNIQUE (repository_id, pattern)
) STRICT;
INSERT INTO protections (id, repository_id, pattern, settings)
SELECT id, repository_id, pattern, json_object(
    'enforce_admins', json(iif(enforce_admins, 'true', 'false')),
    'checks', json(iif(checks IS NULL, 'null', json_object(
        'strict', json(iif(strict_checks, 'true', 'false')),
        'checks', json(coalesce(checks, '[]'))))),
    'reviews', json(iif(approvals IS NULL, 'null', json_object(
        'approvals', approvals,
        'dismiss_stale', json(iif(dismiss_stale_reviews, 'true', 'false')),
        'code_owners', json(iif(code_owner_reviews, 'true', 'false')),
        'last_push_approval', json(iif(last_push_approval, 'true', 'false')),
        'dismissal_users', json(coalesce(dismissal_users, 'null')),
        'bypass_users', json(bypass_users)))),
    'push_users', json(coalesce(push_users, 'null')),
    'linear_history', json(iif(linear_history, 'true', 'false')),
    'force_pushes', json(iif(force_pushes, 'true', 'false')),
    'deletions', json(iif(deletions, 'true', 'false')),
    'block_creations', json(iif(block_creations, 'true', 'false')),
    'conversation_resolution', json(iif(conversation_resolution, 'true', 'false')),
    'lock_branch', json(iif(lock_branch, 'true', 'false')),
    'fork_syncing', json(iif(fork_syncing, 'true', 'false')),
    'signatures', json(iif(signatures, 'true', 'false')))
FROM branch_protections;
DROP TABLE branch_protections;
ALTER TABLE protections RENAME TO branch_protections;
