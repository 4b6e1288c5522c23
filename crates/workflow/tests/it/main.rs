mod every_event;
mod format;
mod journeys;
mod limits;
mod properties;
mod samples;
