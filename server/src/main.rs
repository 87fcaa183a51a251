//! The command line of Countersign.

use std::process::ExitCode;

use clap::Parser as _;
use server::cli::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(source) => return failed(&server::cli::error::CliError::io("the process cannot start", source), &cli),
    };
    match runtime.block_on(cli.start()) {
        // Whoever stopped reading does not want the rest.
        Ok(answer) => match answer.write(cli.json) {
            Ok(()) if answer.good => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        },
        Err(error) => failed(&error, &cli),
    }
}

fn failed(error: &server::cli::error::CliError, cli: &Cli) -> ExitCode {
    let _nobody_reads_it = error.write(cli.json);
    ExitCode::FAILURE
}
