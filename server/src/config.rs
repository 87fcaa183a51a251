//! Every setting there is. Each comes from a flag or from the environment
//! variable that its help names; nothing else reads the environment.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use url::{Host, Url};

/// Settings of every command.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// PostgreSQL, as the role that the server works as. Without it a private
    /// PostgreSQL runs in the data directory.
    #[arg(long, env = "COUNTERSIGN_DATABASE_URL", hide_env_values = true, global = true, value_name = "URL")]
    pub database_url: Option<String>,

    /// PostgreSQL, as the role that owns the tables and migrates them. Without
    /// it a database that is given is taken as it is.
    #[arg(long, env = "COUNTERSIGN_OWNER_URL", hide_env_values = true, global = true, value_name = "URL")]
    pub owner_url: Option<String>,

    /// Where people and agents reach this server. [default: http:// and the
    /// address that is listened on]
    #[arg(long, env = "COUNTERSIGN_PUBLIC_URL", global = true, value_name = "URL")]
    pub public_url: Option<PublicUrl>,

    /// The address to listen on.
    #[arg(long, env = "COUNTERSIGN_LISTEN", global = true, value_name = "IP:PORT", default_value = "127.0.0.1:3000")]
    pub listen: SocketAddr,

    /// Where the private PostgreSQL and the master key lie.
    #[arg(long, env = "COUNTERSIGN_DATA_DIR", global = true, value_name = "DIR", default_value = ".data")]
    pub data_dir: PathBuf,

    /// The key that seals all others; made if it does not exist. [default:
    /// master.key in the data directory]
    #[arg(long, env = "COUNTERSIGN_MASTER_KEY_FILE", global = true, value_name = "FILE")]
    pub master_key_file: Option<PathBuf>,

    /// What is logged, such as `info` or `server=debug,info`.
    #[arg(long, env = "COUNTERSIGN_LOG", global = true, value_name = "FILTER", default_value = "info")]
    pub log: String,

    /// How log lines are written, to standard error.
    #[arg(
        long,
        env = "COUNTERSIGN_LOG_FORMAT",
        global = true,
        value_enum,
        value_name = "FORMAT",
        default_value = "text"
    )]
    pub log_format: LogFormat,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Config {
    /// The file of the master key.
    #[must_use]
    pub fn master_key_file(&self) -> PathBuf {
        self.master_key_file.clone().unwrap_or_else(|| self.data_dir.join("master.key"))
    }

    /// Where the server is reached, when it listens on `bound`.
    #[must_use]
    pub fn public_url(&self, bound: SocketAddr) -> PublicUrl {
        self.public_url.clone().unwrap_or_else(|| PublicUrl::of_address(bound))
    }
}

/// The settings that the build of the browser's files (`cargo leptos`) shares
/// with the server.
#[derive(Debug, Clone, Args)]
pub struct SiteFiles {
    /// The directory with the browser's files. [default: site beside the
    /// binary, else target/site]
    #[arg(long, env = "LEPTOS_SITE_ROOT", value_name = "DIR")]
    pub site_root: Option<PathBuf>,

    /// Whether their names carry a hash. [default: whether hash.txt lies beside
    /// the binary]
    #[arg(long, env = "LEPTOS_HASH_FILES", value_name = "BOOL")]
    pub hash_files: Option<bool>,
}

impl SiteFiles {
    /// What Leptos wants to know.
    #[must_use]
    pub fn leptos_options(&self) -> leptos::config::LeptosOptions {
        let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned));
        let is_beside = |name: &str| beside.as_ref().map(|dir| dir.join(name)).filter(|path| path.exists());
        let site_root =
            self.site_root.clone().or_else(|| is_beside("site")).unwrap_or_else(|| PathBuf::from("target/site"));
        leptos::config::LeptosOptions::builder()
            .output_name("countersign")
            .site_root(site_root.to_string_lossy().as_ref())
            .site_pkg_dir("pkg")
            .hash_files(self.hash_files.unwrap_or_else(|| is_beside("hash.txt").is_some()))
            .build()
    }
}

/// An `http` or `https` URL without path, query and credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(Url);

/// Why a URL cannot be where a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PublicUrlError {
    /// Not a URL.
    #[error("write it as https://host or http://host:port")]
    Malformed,
    /// It says more than where the server is.
    #[error("leave out everything after the host and port")]
    TooMuch,
}

impl PublicUrl {
    fn of_address(bound: SocketAddr) -> Self {
        // Whoever listens on every address still wants a link that opens.
        let ip = if bound.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { bound.ip() };
        let text = format!("http://{}", SocketAddr::new(ip, bound.port()));
        Self(Url::parse(&text).expect("an address makes a URL"))
    }

    /// Without a slash at its end, as browsers write an origin.
    #[must_use]
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// The address of a page, given its path with the slash that it begins with.
    #[must_use]
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// What a browser sends as `Host`: the port only where it is not the usual one.
    #[must_use]
    pub fn host_header(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Whether it is reached through TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether only this machine reaches it.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        }
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let url = Url::parse(text).map_err(|_| PublicUrlError::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(PublicUrlError::Malformed);
        }
        let bare = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if bare { Ok(Self(url)) } else { Err(PublicUrlError::TooMuch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PublicUrl {
        text.parse().unwrap()
    }

    #[test]
    fn a_public_url_is_only_where_the_server_is() {
        for (text, origin, host) in [
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000", "127.0.0.1:3000"),
            ("https://Sign.Example/", "https://sign.example", "sign.example"),
            ("https://sign.example:443", "https://sign.example", "sign.example"),
            ("https://sign.example:8443", "https://sign.example:8443", "sign.example:8443"),
            ("http://[::1]:3000", "http://[::1]:3000", "[::1]:3000"),
        ] {
            assert_eq!(url(text).origin(), origin, "{text}");
            assert_eq!(url(text).host_header(), host, "{text}");
        }
        for (text, error) in [
            ("sign.example", PublicUrlError::Malformed),
            ("ftp://sign.example", PublicUrlError::Malformed),
            ("https://sign.example/app", PublicUrlError::TooMuch),
            ("https://sign.example/?a", PublicUrlError::TooMuch),
            ("https://me@sign.example", PublicUrlError::TooMuch),
        ] {
            assert_eq!(text.parse::<PublicUrl>(), Err(error), "{text}");
        }
    }

    #[test]
    fn loopback_is_told_apart() {
        assert!(url("http://localhost:3000").is_loopback());
        assert!(url("http://127.8.0.1").is_loopback());
        assert!(url("http://[::1]").is_loopback());
        assert!(!url("http://10.0.0.1").is_loopback());
        assert!(!url("http://localhost.example").is_loopback());
    }

    #[test]
    fn listening_everywhere_is_reached_at_loopback() {
        let bound = "0.0.0.0:3000".parse().unwrap();
        assert_eq!(PublicUrl::of_address(bound).origin(), "http://127.0.0.1:3000");
    }
}
