//! Rules that read congestion from delay: what the queue adds to the smallest round-trip time.

pub mod ctcp;
pub mod fast;
pub mod fast_at;
pub mod round;
pub mod vegas;
