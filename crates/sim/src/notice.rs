// SPDX-License-Identifier: Apache-2.0
//! What one side of a connection over which both sides write announces to the other, ahead of the data.

use narrows_model::application::Object;
use narrows_units::{Bytes, Time};
use narrows_wire::FlowId;

/// An announcement to the other side of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Notice {
    /// A request of this size for this object is on its way to a server.
    Request(FlowId, Bytes, Object),
    /// An object is on its way to a client.
    Object {
        /// Connection of the server's data.
        flow: FlowId,
        /// Size of the object if it is a separate part.
        size: Option<Bytes>,
        /// Its end in bytes of the server's data, of its stream if a stack carries the connection.
        end: u64,
        /// Number of its request, from 0 for the first of the connection.
        request: u64,
        /// Time at which it was written.
        written: Time,
    },
    /// Of a stream of the server nothing more is sent than this many bytes.
    Reset(u64, u64),
    /// The client closes the connection at the given time.
    End(Time),
    /// The server has left the connection at the given time.
    Left(Time),
}
