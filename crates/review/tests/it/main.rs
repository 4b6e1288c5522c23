mod engine;
mod explained;
mod formats;
mod hostile;
mod mutated;
mod rules;
mod tamper;
