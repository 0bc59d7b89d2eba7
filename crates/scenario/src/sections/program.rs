// SPDX-License-Identifier: Apache-2.0
//! `program`: programs of the machine that carry the flows of a group.

use crate::context::Trust;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::section::keys;
use crate::value::words;
use narrows_model::{Program, Role};

keys! {
    /// `program = { client = "…", server = "…" }`: commands for a shell, with the address of the server in `$SERVER`. Each flow
    /// has two hosts of its own; its server is ready when the run begins, its client starts when the flow does.
    pub struct ProgramKeys {
        /// Command of the client, for example `"iperf3 -c $SERVER -t 10"`.
        client: String,
        /// Command of the server, for example `"iperf3 -s"`.
        server: String,
        /// Which of the two programs runs on the sending host; the data that it sends is the flow's data.
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
    /// Returns the commands, the client's first.
    pub fn commands(&self) -> [&Field<String>; 2] {
        [&self.client, &self.server]
    }

    /// Resolves the table; `trust` says which commands may be executed, `None` that none is.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(&self, trust: Option<&Trust>, faults: &mut Vec<Fault>) -> Result<Program, Reported> {
        for command in self.commands() {
            let Ok(text) = command.get() else { continue };
            if text.contains('\0') {
                let fault = command.fault("a command with a zero byte");
                return Err(fault.allowed("a command for a shell").report(faults));
            }
            if trust.is_some_and(|trust| !trust.allows_command(&command.at.location)) {
                let fault = command.fault("the command comes with the scenario, and is not executed");
                let fault = fault.given(format!("\"{text}\"")).allowed("a command given with --set");
                let hint = "read the command; if you trust it, add --trust (in Python, trust=True)";
                return Err(fault.hint(Some(hint.to_owned())).report(faults));
            }
        }
        let sender = match self.sender.copied()? {
            RoleWord::Client => Role::Client,
            RoleWord::Server => Role::Server,
        };
        Ok(Program { client: self.client.get()?.clone(), server: self.server.get()?.clone(), sender })
    }
}
