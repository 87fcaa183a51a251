//! What the database itself holds to, whatever the program above it does.

mod constraints;
mod rows;
