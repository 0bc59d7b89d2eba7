//! `program`: programs of the machine that carry the flows of a group.

use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::section::keys;
use crate::value::words;
use narrows_model::{Program, Role};

keys! {
    /// `program = { client = "…", server = "…" }`: commands for a shell, with the address of the server in `$SERVER`. Each flow
    /// has two hosts of its own; its server is ready when the run begins, its client starts when the flow does.
    pub struct ProgramKeys {
        /// Command of the client, as in `"iperf3 -c $SERVER -t 10"`.
        client: String,
        /// Command of the server, as in `"iperf3 -s"`.
        server: String,
        /// Which of them runs on the sending host: the flow's data is what that one sends.
        sender: RoleWord = RoleWord::Client,
    }
}

/// The program on the sending host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleWord {
    /// The client.
    Client,
    /// The server.
    Server,
}

words!(RoleWord { Client = "client", Server = "server" });

impl ProgramKeys {
    /// The resolved table.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(&self, faults: &mut Vec<Fault>) -> Result<Program, Reported> {
        for command in [&self.client, &self.server] {
            if let Ok(text) = command.get()
                && text.contains('\0')
            {
                let fault = command.fault("a command with a zero byte");
                return Err(fault.allowed("a command for a shell").report(faults));
            }
        }
        let sender = match self.sender.copied()? {
            RoleWord::Client => Role::Client,
            RoleWord::Server => Role::Server,
        };
        Ok(Program { client: self.client.get()?.clone(), server: self.server.get()?.clone(), sender })
    }
}
