"""An agent that proposes: Anthropic's MCP client for Python.

Reads one JSON object a line from standard input and answers with one:
{"tool": NAME, "arguments": {...}} calls a tool, {"digest": {...}} computes the
digest of an input without asking the server.
"""

import asyncio
import hashlib
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ERA = "2026-07-28"


async def call(name: str, arguments: dict) -> dict:
    """Calls a tool, with a client of its own."""
    headers = {"Authorization": f"Bearer {os.environ['AGENT_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(os.environ["MCP_URL"], http_client=http)
        # Pinned: it may not fall back to the older era.
        async with Client(transport, mode=ERA) as client:
            result = await client.call_tool(name, arguments)
            return {"error": bool(result.is_error), "reply": result.structured_content}


def digest(value: dict) -> dict:
    """RFC 8785, as far as names and texts in the basic plane and numbers that Python writes as JavaScript does."""
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return {"digest": hashlib.sha256(canonical.encode()).hexdigest()}


def answer(line: str) -> dict:
    asked = json.loads(line)
    if "digest" in asked:
        return digest(asked["digest"])
    return asyncio.run(call(asked["tool"], asked["arguments"]))


for line in sys.stdin:
    print(json.dumps(answer(line)), flush=True)
