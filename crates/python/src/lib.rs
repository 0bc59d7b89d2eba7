//! The door between Python and the laboratory: converts, never computes.
