mod engine;
mod explained;
mod formats;
mod hostile;
mod linear;
mod mutated;
mod rules;
mod tamper;
