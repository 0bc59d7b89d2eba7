// SPDX-License-Identifier: Apache-2.0
//! The programs of a virtual machine: those that its shell would not find, and the output that they have written.

use narrows_model::{Model, Program, Refusal};
use narrows_records::ProgramRecord;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the commands of `model` whose program the virtual machine would not find, as far as their first word shows
/// it. Commands start in `directory`.
pub fn refusals(model: &Model, directory: &Path) -> Vec<Refusal> {
    let mut found = Vec::new();
    for (number, group) in model.groups.iter().enumerate() {
        for (role, command) in group.program.iter().flat_map(commands) {
            if let Some(reason) = reason(command, directory) {
                let key = format!("program.{role}");
                let allowed = "programs in PATH, and files that are not below /tmp";
                found.push(Refusal::of_group(number, key, reason, allowed));
            }
        }
    }
    found
}

/// Why `command` does not run from `directory`; `None` if nothing shows that.
fn reason(command: &str, directory: &Path) -> Option<String> {
    if command.len() > LONGEST || command.contains('\0') {
        return Some(format!("it has more than {LONGEST} bytes, or a null among them"));
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    if is_hidden(directory)
        && let Some(word) =
            words.iter().map(|word| word.trim_matches(QUOTES)).find(|word| lies_in(word, directory))
    {
        let place = directory.display();
        return Some(format!("programs do not see {word} in {place}: they have a /tmp of their own"));
    }
    let first = words.iter().find(|word| !is_assignment(word))?;
    if first.contains(SPECIAL) {
        return None;
    }
    if !first.contains('/') {
        return (!is_known(first, directory)).then(|| format!("unknown program {first}"));
    }
    let path = directory.join(first);
    let Ok(metadata) = fs::metadata(&path) else {
        return Some(format!("no such file: {}", path.display()));
    };
    if is_hidden(&path) {
        return Some(format!("programs do not see {}: they have a /tmp of their own", path.display()));
    }
    (!is_executable(&metadata)).then(|| format!("{} is not an executable file", path.display()))
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// A page in a browser has no programs.
#[cfg(not(unix))]
fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file()
}

/// Whether `word` looks like the name of a file, and `directory` has one of that name.
fn lies_in(word: &str, directory: &Path) -> bool {
    let looks = word.contains(['/', '.']) && !word.starts_with(['/', '-']) && !word.contains(SPECIAL);
    looks && !word.trim_matches(['/', '.']).is_empty() && directory.join(word).exists()
}

/// Whether a virtual machine has other files at `path` than its host.
fn is_hidden(path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    [path, &real].iter().any(|each| each.starts_with(OWN))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|each| each == '_' || each.is_ascii_alphanumeric())
    })
}

/// Whether `word` is part of the shell, or is found in the part of PATH that a virtual machine can access.
fn is_known(word: &str, directory: &Path) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let seen: Vec<PathBuf> = std::env::split_paths(&path).filter(|each| !is_hidden(each)).collect();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "command -v -- \"$0\"", word]).current_dir(directory).stdin(Stdio::null());
    shell.stdout(Stdio::null()).stderr(Stdio::null());
    shell.env("PATH", std::env::join_paths(seen).unwrap_or(path));
    // Without a shell nothing is known, and the run says what happens.
    shell.status().map_or(true, |status| status.success())
}

/// Returns the first of `programs` that the shell of its virtual machine has not found, or could not execute; `None` if
/// there is none.
pub fn not_executed(model: &Model, programs: &[ProgramRecord]) -> Option<String> {
    let failed = programs.iter().find(|each| matches!(each.status, Some(NOT_EXECUTABLE | NOT_FOUND)))?;
    let mut groups =
        model.workloads.iter().flat_map(|each| std::iter::repeat_n(each.group, each.slots as usize));
    let group = &model.groups[groups.nth(failed.flow as usize)?];
    let (role, name) = (&failed.role, &group.name);
    let (_, command) = group.program.as_ref().map(commands)?.into_iter().find(|(each, _)| each == role)?;
    let text = String::from_utf8_lossy(&failed.output);
    Some(format!("the {role} of group {name}, `{command}`, does not run: {}", text.trim()))
}

/// Returns the commands of `program`, with their roles.
pub fn commands(program: &Program) -> [(&'static str, &String); 2] {
    [("client", &program.client), ("server", &program.server)]
}

/// Address of the host on which the client runs.
pub const CLIENT: &str = "10.0.0.1";
/// Address of the host on which the server runs.
pub const SERVER: &str = "10.0.0.2";
/// Where programs have files of their own.
const OWN: &str = "/tmp";
/// Bytes of a command; Linux passes 128 kB to a program as one argument.
const LONGEST: usize = 100_000;
const QUOTES: [char; 3] = ['\'', '"', ';'];
/// What makes a word of a shell more than itself.
const SPECIAL: [char; 21] = [
    '$', '`', '\'', '"', '\\', '|', '&', ';', '<', '>', '(', ')', '*', '?', '[', ']', '#', '~', '{', '}', '!',
];
/// Exit statuses of a shell (POSIX.1, 2.8.2).
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

#[cfg(test)]
mod tests {
    use super::reason;
    use std::path::Path;

    #[test]
    fn what_a_shell_finds_is_not_refused() {
        for command in [
            "sh -c true",
            "cd / && ls",
            "A=1 B=2 sleep 1",
            "while :; do :; done",
            "/bin/sh -c true",
            "$HOME/x",
        ] {
            assert_eq!(reason(command, Path::new("/")), None, "{command}");
        }
    }

    #[test]
    fn what_it_does_not_find_is_named() {
        let of = |command| reason(command, Path::new("/")).unwrap_or_default();
        assert_eq!(of("no-such-program -x"), "unknown program no-such-program");
        assert_eq!(of("A=1 ./no-such-file"), "no such file: /./no-such-file");
        assert_eq!(of("/etc/passwd"), "/etc/passwd is not an executable file");
    }

    #[test]
    fn a_file_that_programs_do_not_see_is_named() {
        let folder = tempfile::tempdir_in("/tmp").expect("a folder below /tmp");
        std::fs::write(folder.path().join("serve.py"), "").expect("a file");
        let refused = reason("python3 serve.py", folder.path()).unwrap_or_default();
        assert!(refused.starts_with("programs do not see serve.py in /tmp/"), "{refused}");
        assert_eq!(reason("sh other.py", folder.path()), None);
        let refused =
            reason(&format!("{}/serve.py", folder.path().display()), Path::new("/")).unwrap_or_default();
        assert!(refused.contains("they have a /tmp of their own"), "{refused}");
    }
}
