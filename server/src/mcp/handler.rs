//! The methods of the protocol, for rmcp to call.

use std::any::Any;
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use domain::actor::Agent;
use domain::service::Service;
use futures::FutureExt;
use http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    Implementation, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::message::{Era, Message, VERSIONS};
use super::reply;
use super::tools::{self, Access, Call, ToolName};

/// What an agent is told about the server as a whole.
const INSTRUCTIONS: &str = "Countersign holds writes until a person countersigns them. \
Propose a write with {connection}_propose: nothing is sent, and you get a proposal_id and an approval_url. \
Give the approval_url to a person, who decides in a browser; no tool here approves or rejects anything, \
so do not try. Then call {connection}_apply, which sends the approved writes in order, each once. \
Every reply has next_action, the one right next step, and keep, the ids worth keeping; \
nothing is remembered between calls but the records, which proposals_get and proposals_list read.";

/// The list of tools changes when an admin changes a connection; nobody is told then.
const TOOLS_FRESH_FOR_MS: u64 = 60_000;
const DISCOVER_FRESH_FOR_MS: u64 = 300_000;
/// Looking something up takes no longer, unless something is wrong.
const LIST_WITHIN: Duration = Duration::from_secs(20);

/// Where rmcp hands requests to. Made anew for every request, by a clone.
#[derive(Clone)]
pub struct Handler {
    service: Service,
    public_url: Arc<str>,
}

/// Why a handler has no answer.
enum Fault {
    Panicked,
    TimedOut,
}

impl Handler {
    /// Over the operations; pages are under `public_url`.
    pub fn new(service: Service, public_url: String) -> Self {
        Self { service, public_url: public_url.into() }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation())
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        const SUPPORTED: &[ProtocolVersion] = &[
            ProtocolVersion::V_2026_07_28,
            ProtocolVersion::V_2025_11_25,
            ProtocolVersion::V_2025_06_18,
            ProtocolVersion::V_2025_03_26,
        ];
        debug_assert!(SUPPORTED.iter().map(ProtocolVersion::as_str).eq(VERSIONS));
        Cow::Borrowed(SUPPORTED)
    }

    async fn discover(&self, _cx: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut result =
            DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info());
        result.ttl_ms = DISCOVER_FRESH_FOR_MS;
        result.cache_scope = CacheScope::Private;
        Ok(result)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if page.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params("This list has one page; no cursor was given out.", None));
        }
        let (agent, message) = request(&cx)?;
        let tools = match guarded(LIST_WITHIN, tools::list(&self.service, agent)).await {
            Ok(Ok(tools)) => tools,
            Ok(Err(error)) => {
                tracing::error!(error = &error as &dyn std::error::Error, "could not list the tools");
                return Err(internal_error());
            }
            Err(_) => return Err(internal_error()),
        };
        let mut result = ListToolsResult::with_all_items(tools);
        if message.era() == Era::Modern {
            result = result.with_ttl_ms(TOOLS_FRESH_FOR_MS).with_cache_scope(CacheScope::Private);
            result.meta = Some(server_info());
        }
        Ok(result)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (agent, message) = request(&cx)?;
        let granted = |tool: &ToolName<'_>| matches!(tool.access(agent), Access::Granted);
        let Some(tool) = ToolName::parse(&params.name).filter(granted) else {
            return Err(ErrorData::invalid_params(
                "There is no such tool for this token. tools/list names those that there are.",
                None,
            ));
        };
        let call = Call { service: &self.service, agent, public_url: &self.public_url, request: &cx };
        let result = match guarded(tool.answers_within(), tools::call(&call, tool, message.arguments())).await {
            Ok(Ok(reply)) => reply.into_result(),
            Ok(Err(error)) => reply::refused(&error, tool.again()),
            Err(Fault::TimedOut) => reply::timed_out(),
            Err(Fault::Panicked) => reply::fault(
                "internal",
                "The server failed at this call. Ask for the state before you repeat anything.",
            ),
        };
        let state = result.structured_content.as_ref().and_then(|body| body["state"].as_str());
        tracing::info!(tool = %params.name, agent = %agent.id, state, "a tool was called");
        let meta = (message.era() == Era::Modern).then(server_info);
        Ok(result.with_meta(meta).into())
    }

    /// rmcp calls this for a method that it does not know, and for one that it
    /// knows with parameters that it cannot read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const OURS: [&str; 4] = ["tools/list", "tools/call", "server/discover", "ping"];
        if OURS.contains(&request.method.as_str()) {
            return Err(ErrorData::invalid_params("The parameters have the wrong shape.", None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "There is no such method here.", None))
    }
}

/// Runs a handler so that its caller gets an answer, whatever happens. rmcp
/// runs handlers in tasks of their own and would wait for ever for one that panicked.
async fn guarded<T>(within: Duration, handler: impl Future<Output = T>) -> Result<T, Fault> {
    match tokio::time::timeout(within, AssertUnwindSafe(handler).catch_unwind()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(panic)) => {
            tracing::error!(message = panic_message(&*panic), "a handler panicked");
            Err(Fault::Panicked)
        }
        Err(_) => {
            tracing::error!(within = ?within, "a handler took too long");
            Err(Fault::TimedOut)
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// What the guard in front of rmcp left for the handlers.
fn request(cx: &RequestContext<RoleServer>) -> Result<(&Agent, &Message), ErrorData> {
    let parts = cx.extensions.get::<Parts>();
    let agent = parts.and_then(|parts| parts.extensions.get::<Agent>());
    let message = parts.and_then(|parts| parts.extensions.get::<Message>());
    agent.zip(message).ok_or_else(|| {
        tracing::error!("a request reached the handlers without passing the guard");
        internal_error()
    })
}

fn internal_error() -> ErrorData {
    ErrorData::internal_error("The server failed at this request. It was recorded.", None)
}

fn implementation() -> Implementation {
    Implementation::new("countersign", env!("CARGO_PKG_VERSION")).with_title("Countersign")
}

fn server_info() -> MetaObject {
    let mut meta = MetaObject::new();
    let info =
        serde_json::json!({ "name": "countersign", "title": "Countersign", "version": env!("CARGO_PKG_VERSION") });
    meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
    meta
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let panics = async { assert!(std::hint::black_box(false), "in a handler") };
        assert!(matches!(guarded(Duration::from_secs(9), panics).await, Err(Fault::Panicked)));
    }

    #[tokio::test]
    async fn a_handler_that_hangs_is_left_behind() {
        let hangs = std::future::pending::<()>();
        assert!(matches!(guarded(Duration::from_millis(5), hangs).await, Err(Fault::TimedOut)));
    }
}
