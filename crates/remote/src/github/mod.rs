//! What baton asks GitHub, GitHub Enterprise and the local forge.
