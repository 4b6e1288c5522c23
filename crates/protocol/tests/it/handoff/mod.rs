mod arbitrary;
mod cases;
mod hostile;
mod round_trips;
mod schemas;
mod templates;
mod words;
