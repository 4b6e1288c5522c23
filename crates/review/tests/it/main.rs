mod formats;
mod hostile;
mod rules;
mod tamper;
