//! Which hosts a backend needs to reach its model.
//!
//! They follow from the backend's name and from the user's environment, as the programs read it. A
//! base URL replaces the usual hosts. One on loopback is no host to reach: its port is forwarded into
//! the box. Only model providers are named here, and what they need to sign in; updates, figures
//! and registries of packages are not among them.

use thiserror::Error;

use super::policy::{Forward, HostRule};
use super::target::{Host, Target};

/// What a backend needs of the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderHosts {
    /// For [`ProxyPolicy::provider`](super::ProxyPolicy::provider).
    pub provider: Vec<HostRule>,
    /// For [`ProxyPolicy::private`](super::ProxyPolicy::private): hosts that the user named.
    pub private: Vec<HostRule>,
    /// For [`ProxyPolicy::forward`](super::ProxyPolicy::forward).
    pub forward: Vec<Forward>,
}

/// A variable of the user's that cannot be used. Its value is left out: it may hold a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{variable}` is not usable: {why}")]
pub struct ProviderHostsError {
    /// Its name.
    pub variable: String,
    /// What is wrong.
    pub why: &'static str,
}

/// Returns what a backend needs, for `claude`, `codex`, `gemini`, `qwen` and `opencode`.
///
/// Any other one (a command, a rehearsal, an unknown agent) gets nothing: what it needs is for the
/// user to list.
pub fn provider_hosts(
    backend: &str,
    environment: &[(String, String)],
) -> Result<ProviderHosts, ProviderHostsError> {
    let mut wanted = Wanted { environment, hosts: ProviderHosts::default() };
    match backend {
        "claude" => claude(&mut wanted)?,
        "codex" => wanted.base_url_or("OPENAI_BASE_URL", OPENAI)?,
        "gemini" => gemini(&mut wanted)?,
        "qwen" => wanted.base_url_or("OPENAI_BASE_URL", QWEN)?,
        "opencode" => {
            wanted.base_url_or("ANTHROPIC_BASE_URL", ANTHROPIC)?;
            wanted.base_url_or("OPENAI_BASE_URL", OPENAI)?;
            wanted.hosts_of(OPENCODE);
        }
        _ => {}
    }
    Ok(wanted.hosts)
}

/// The interface, and the two hosts that renew a sign-in.
const ANTHROPIC: &[&str] =
    &["api.anthropic.com", "claude.ai", "console.anthropic.com", "platform.claude.com"];

/// The interface, the same for accounts of ChatGPT, and sign-in.
const OPENAI: &[&str] = &["api.openai.com", "auth.openai.com", "chatgpt.com"];

const GEMINI: &[&str] = &[
    "generativelanguage.googleapis.com",
    // For accounts of Google instead of keys.
    "cloudcode-pa.googleapis.com",
];

const GOOGLE_SIGN_IN: &[&str] =
    &["accounts.google.com", "oauth2.googleapis.com", "sts.googleapis.com", "www.googleapis.com"];

const QWEN: &[&str] =
    &["chat.qwen.ai", "dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com", "portal.qwen.ai"];

/// Its own models and its list of models, and the providers whose keys it takes.
const OPENCODE: &[&str] = &[
    "api.deepseek.com",
    "api.groq.com",
    "api.mistral.ai",
    "api.x.ai",
    "generativelanguage.googleapis.com",
    "models.dev",
    "opencode.ai",
    "openrouter.ai",
];

fn claude(wanted: &mut Wanted<'_>) -> Result<(), ProviderHostsError> {
    if wanted.is_on("CLAUDE_CODE_USE_BEDROCK") {
        return bedrock(wanted);
    }
    if wanted.is_on("CLAUDE_CODE_USE_VERTEX") {
        wanted.hosts_of(GOOGLE_SIGN_IN);
        if wanted.base_url("ANTHROPIC_VERTEX_BASE_URL")? {
            return Ok(());
        }
        vertex(wanted, "CLOUD_ML_REGION", "us-east5")?;
        // Single models may be in other regions.
        let of_models: Vec<String> =
            wanted.names().filter(|name| name.starts_with("VERTEX_REGION_")).collect();
        return of_models.iter().try_for_each(|name| vertex(wanted, name, "us-east5"));
    }
    wanted.base_url_or("ANTHROPIC_BASE_URL", ANTHROPIC)
}

fn bedrock(wanted: &mut Wanted<'_>) -> Result<(), ProviderHostsError> {
    let default = match wanted.value("AWS_REGION") {
        Some(_) => "AWS_REGION",
        None => "AWS_DEFAULT_REGION",
    };
    let region = wanted.region(default, "us-east-1")?;
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    // Signing in: with roles, and with the single sign-on of a profile.
    for service in ["sts", "oidc", "portal.sso"] {
        wanted.host(&format!("{service}.{region}.{domain}"));
    }
    wanted.host(&format!("sts.{domain}"));
    if wanted.base_url("ANTHROPIC_BEDROCK_BASE_URL")? {
        return Ok(());
    }
    let small = wanted.region("ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION", &region)?;
    for region in [region, small] {
        wanted.host(&format!("bedrock.{region}.{domain}"));
        wanted.host(&format!("bedrock-runtime.{region}.{domain}"));
    }
    Ok(())
}

fn vertex(
    wanted: &mut Wanted<'_>,
    variable: &str,
    default: &str,
) -> Result<(), ProviderHostsError> {
    match wanted.region(variable, default)?.as_str() {
        "global" => wanted.host("aiplatform.googleapis.com"),
        region @ ("us" | "eu") => {
            wanted.host(&format!("aiplatform.{region}.rep.googleapis.com"));
        }
        region => wanted.host(&format!("{region}-aiplatform.googleapis.com")),
    }
    Ok(())
}

fn gemini(wanted: &mut Wanted<'_>) -> Result<(), ProviderHostsError> {
    if wanted.is_on("GOOGLE_GENAI_USE_VERTEXAI") {
        wanted.hosts_of(GOOGLE_SIGN_IN);
        if !wanted.base_url("GOOGLE_VERTEX_BASE_URL")? {
            vertex(wanted, "GOOGLE_CLOUD_LOCATION", "global")?;
        }
        return Ok(());
    }
    if !wanted.base_url("GOOGLE_GEMINI_BASE_URL")? {
        wanted.hosts_of(GEMINI);
        wanted.hosts_of(GOOGLE_SIGN_IN);
    }
    Ok(())
}

/// What was found so far.
struct Wanted<'environment> {
    environment: &'environment [(String, String)],
    hosts: ProviderHosts,
}

impl Wanted<'_> {
    fn names(&self) -> impl Iterator<Item = String> {
        self.environment.iter().map(|(name, _)| name.clone())
    }

    fn value(&self, name: &str) -> Option<&str> {
        let variable = self.environment.iter().find(|(other, _)| other == name);
        variable.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    fn is_on(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| !matches!(value, "0" | "false" | "no" | "off"))
    }

    fn hosts_of(&mut self, names: &[&str]) {
        for name in names {
            self.host(name);
        }
    }

    /// Adds a provider's own host: by TLS only.
    fn host(&mut self, name: &str) {
        // The names of this module and checked regions are hosts: its tests read them all.
        if let Ok(target) = Target::parse(name, Some(443)) {
            let rule = HostRule::exactly(&target);
            if !self.hosts.provider.contains(&rule) {
                self.hosts.provider.push(rule);
            }
        }
    }

    fn base_url_or(&mut self, name: &str, usual: &[&str]) -> Result<(), ProviderHostsError> {
        if !self.base_url(name)? {
            self.hosts_of(usual);
        }
        Ok(())
    }

    /// Adds the host of a base URL, if there is one.
    fn base_url(&mut self, name: &str) -> Result<bool, ProviderHostsError> {
        let Some(url) = self.value(name) else { return Ok(false) };
        let why = "it is not an `http://` or `https://` address";
        let target =
            target_of(url).ok_or_else(|| ProviderHostsError { variable: name.to_owned(), why })?;
        if is_loopback(&target.host) {
            let Target { host, port } = target;
            let forward = Forward { host, port, to: port };
            if !self.hosts.forward.contains(&forward) {
                self.hosts.forward.push(forward);
            }
        } else {
            let rule = HostRule::exactly(&target);
            self.hosts.private.push(rule.clone());
            self.hosts.provider.push(rule);
        }
        Ok(true)
    }

    /// Reads a region, which becomes a part of a host's name.
    fn region(&self, name: &str, default: &str) -> Result<String, ProviderHostsError> {
        let region = self.value(name).unwrap_or(default);
        let is_region =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if region.bytes().all(is_region) {
            return Ok(region.to_owned());
        }
        let why = "it is not a region such as `us-east-1`";
        Err(ProviderHostsError { variable: name.to_owned(), why })
    }
}

/// The host and port of a base URL. A user name in it is for the server and not for us.
fn target_of(url: &str) -> Option<Target> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let port = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Target::parse(authority, Some(port)).ok()
}

fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Address(address) => address.to_canonical().is_loopback(),
        Host::Name(name) => name == "localhost" || name.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(backend: &str, environment: &[(&str, &str)]) -> ProviderHosts {
        let pairs =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        provider_hosts(backend, &pairs.collect::<Vec<_>>()).unwrap()
    }

    fn rules(backend: &str, environment: &[(&str, &str)]) -> Vec<String> {
        hosts(backend, environment).provider.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_known_backend_has_hosts_and_others_have_none() {
        assert_eq!(rules("claude", &[]).len(), ANTHROPIC.len());
        assert_eq!(
            rules("codex", &[]),
            ["api.openai.com:443", "auth.openai.com:443", "chatgpt.com:443"]
        );
        assert_eq!(rules("gemini", &[]).len(), GEMINI.len() + GOOGLE_SIGN_IN.len());
        assert_eq!(rules("qwen", &[]).len(), QWEN.len());
        let all = ANTHROPIC.len() + OPENAI.len() + OPENCODE.len();
        assert_eq!(rules("opencode", &[]).len(), all);
        for backend in ["command", "rehearsal", "acp:mine", ""] {
            assert_eq!(hosts(backend, &[]), ProviderHosts::default(), "{backend}");
        }
    }

    #[test]
    fn a_base_url_replaces_the_usual_hosts_and_may_be_in_the_users_network() {
        let found =
            hosts("claude", &[("ANTHROPIC_BASE_URL", "https://u:k@Gate.corp.example:8443/a")]);
        assert_eq!(found.provider, ["gate.corp.example:8443".parse().unwrap()]);
        assert_eq!(found.private, found.provider);
        assert_eq!(rules("codex", &[("OPENAI_BASE_URL", "http://gpu/v1")]), ["gpu:80"]);
        assert_eq!(rules("codex", &[("OPENAI_BASE_URL", "")]).len(), OPENAI.len());
    }

    #[test]
    fn a_provider_on_loopback_is_forwarded() {
        for host in ["127.0.0.1", "localhost", "[::1]", "127.1.2.3"] {
            let found = hosts("codex", &[("OPENAI_BASE_URL", &format!("http://{host}:8123/v1"))]);
            let forward = Forward { host: Host::parse(host).unwrap(), port: 8123, to: 8123 };
            assert_eq!(found.forward, [forward], "{host}");
            assert_eq!(found.provider, [], "{host}");
        }
    }

    #[test]
    fn clouds_have_hosts_by_region() {
        let bedrock = [("CLAUDE_CODE_USE_BEDROCK", "1"), ("AWS_REGION", "eu-west-1")];
        let found = rules("claude", &bedrock);
        assert!(found.contains(&"bedrock-runtime.eu-west-1.amazonaws.com:443".to_owned()));
        assert!(!found.iter().any(|rule| rule.contains("anthropic")), "{found:?}");
        let vertex = [
            ("CLAUDE_CODE_USE_VERTEX", "true"),
            ("CLOUD_ML_REGION", "global"),
            ("VERTEX_REGION_CLAUDE_HAIKU", "europe-west1"),
        ];
        let found = rules("claude", &vertex);
        assert!(found.contains(&"aiplatform.googleapis.com:443".to_owned()));
        assert!(found.contains(&"europe-west1-aiplatform.googleapis.com:443".to_owned()));
        assert_eq!(rules("claude", &[("CLAUDE_CODE_USE_BEDROCK", "0")]), rules("claude", &[]));
    }

    #[test]
    fn values_that_are_no_addresses_are_errors_without_the_value() {
        let wrong = [
            ("claude", "ANTHROPIC_BASE_URL", "ftp://secret"),
            ("claude", "ANTHROPIC_BASE_URL", "secret"),
            ("gemini", "GOOGLE_GEMINI_BASE_URL", "https://a b/secret"),
        ];
        for (backend, name, value) in wrong {
            let error =
                provider_hosts(backend, &[(name.to_owned(), value.to_owned())]).unwrap_err();
            assert_eq!(error.variable, name);
            assert!(!error.to_string().contains("secret"));
        }
        let region = [("CLAUDE_CODE_USE_BEDROCK", "1"), ("AWS_REGION", "evil.example/")];
        let pairs = region.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert!(provider_hosts("claude", &pairs).is_err());
    }
}
