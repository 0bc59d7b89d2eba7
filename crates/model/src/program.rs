// SPDX-License-Identifier: Apache-2.0
//! Programs that carry flows in place of a backend's endpoints.

/// The programs that carry each flow of a group: a server, and a client that starts when the flow does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Command of the client, for a shell.
    pub client: String,
    /// Command of the server, for a shell.
    pub server: String,
    /// The one that runs on the flow's sending host.
    pub sender: Role,
}

/// A program's part in a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The client.
    Client,
    /// The server.
    Server,
}
