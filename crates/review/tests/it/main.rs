mod engine;
mod hostile;
mod rules;
