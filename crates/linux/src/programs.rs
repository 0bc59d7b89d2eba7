//! What the programs of a guest have left in their folder.

use narrows_backend::RunError;
use narrows_model::Model;
use narrows_records::ProgramRecord;
use std::fs;
use std::path::Path;

/// The programs of `model`, from the files that the shell has written into `folder`.
///
/// # Errors
///
/// [`RunError::Backend`] if the shell has not found a program, or could not execute it.
pub fn read(model: &Model, folder: &Path) -> Result<Vec<ProgramRecord>, RunError> {
    let mut found = Vec::new();
    let mut flow = 0;
    for workload in &model.workloads {
        let program = model.groups[workload.group].program.as_ref();
        for _ in 0..workload.slots {
            for (role, command) in
                program.iter().flat_map(|it| [("client", &it.client), ("server", &it.server)])
            {
                let file = |kind: &str| folder.join(format!("{role}-{flow}.{kind}"));
                let output = fs::read(file("out")).unwrap_or_default();
                let status =
                    fs::read_to_string(file("status")).ok().and_then(|text| text.trim().parse().ok());
                if let Some(NOT_EXECUTABLE | NOT_FOUND) = status {
                    let group = &model.groups[workload.group].name;
                    let text = String::from_utf8_lossy(&output);
                    let message =
                        format!("the {role} of group {group}, `{command}`, does not run: {}", text.trim());
                    return Err(RunError::Backend(message));
                }
                found.push(ProgramRecord { flow, role: role.to_owned(), status, output });
            }
            flow += 1;
        }
    }
    Ok(found)
}

/// Exit statuses of a shell (POSIX.1, 2.8.2).
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;
