//! Datagrams: numbered packets that are sent once, at a rate, whatever becomes of them.
//!
//! [`DatagramSender`] hosts any algorithm that asks for it (RAP, TFRC, the constant rate). [`DatagramReceiver`] answers as
//! the algorithm wishes: not at all, with an echo of each packet, or with TFRC's reports. Where each packet is echoed the
//! sender finds the losses and declares the episodes; where the receiver reports it finds loss events and averages their
//! intervals, as RFC 5348 §5 has it.
//!
//! Deviations: there is no handshake; a finite transfer is complete once its last packet has left, since no packet is
//! waited for.

mod arrivals;
mod flight;
mod receiver;
mod sender;
mod spacing;

pub use receiver::DatagramReceiver;
pub use sender::DatagramSender;
