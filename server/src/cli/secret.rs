//! Secrets come from a prompt, standard input or a file: an argument would stand
//! in the list of processes and in the shell's history.

use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;

use super::error::CliError;

/// A new password: asked for twice at a terminal, else the first line of
/// standard input.
///
/// # Errors
/// If it cannot be read, or the two differ.
pub fn new_password() -> Result<String, CliError> {
    if !io::stdin().is_terminal() {
        return first_line_of_stdin();
    }
    let ask = |prompt: &str| {
        rpassword::prompt_password(prompt).map_err(|source| CliError::io("the password cannot be read", source))
    };
    let password = ask("Password (at least 12 characters): ")?;
    if ask("Once more: ")? != password {
        return Err(CliError::Usage("the two passwords differ; run the command again".to_owned()));
    }
    Ok(password)
}

/// The first line of the file, or of standard input for `-`.
///
/// # Errors
/// If it cannot be read.
pub fn from_file(path: &Path) -> Result<String, CliError> {
    if path == Path::new("-") {
        return first_line_of_stdin();
    }
    let text = fs::read_to_string(path)
        .map_err(|source| CliError::io(format!("the file {} cannot be read", path.display()), source))?;
    Ok(first_line(&text))
}

fn first_line_of_stdin() -> Result<String, CliError> {
    let mut text = String::new();
    io::stdin()
        .lock()
        .take(64 * 1024)
        .read_to_string(&mut text)
        .map_err(|source| CliError::io("standard input cannot be read", source))?;
    Ok(first_line(&text))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
