mod engine;
mod formats;
mod hostile;
mod mutated;
mod rules;
mod tamper;
