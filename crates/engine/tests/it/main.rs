mod agent;
mod crashes;
mod driving;
mod ownership;
mod places;
mod scripted;
