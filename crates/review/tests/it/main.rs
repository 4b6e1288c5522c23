mod formats;
mod rules;
mod tamper;
