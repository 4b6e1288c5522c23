mod handoff;
