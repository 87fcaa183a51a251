//! The parts that pages are made of. Nothing here asks the service.

pub mod digest;
pub mod field_table;
pub mod form;
pub mod icon;
pub mod layout;
pub mod moment;
pub mod revealed;
pub mod standing;
