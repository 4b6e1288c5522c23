//! One request, asked well: limits, safe retries, quotas, conditional requests, redaction.
