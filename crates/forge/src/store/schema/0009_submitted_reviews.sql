-- Reviews are submitted when they are made; drafts from earlier versions go.
DELETE FROM reviews WHERE state = 'PENDING';
DELETE FROM review_threads WHERE NOT EXISTS
    (SELECT * FROM review_comments WHERE thread_id = review_threads.id);
