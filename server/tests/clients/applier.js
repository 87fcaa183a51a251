// An agent that applies: the TypeScript SDK 1.x, which speaks the older era.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export class Applier {
  constructor(origin, token) {
    this.url = new URL('/mcp', origin);
    this.headers = { authorization: `Bearer ${token}` };
  }

  // A client of its own for every call: nothing may hang on a connection.
  async withClient(work) {
    const client = new Client({ name: 'story', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(this.url, { requestInit: { headers: this.headers } }));
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  async tools() {
    const { tools } = await this.withClient((client) => client.listTools());
    return tools.map((tool) => tool.name);
  }

  // Listing first lets the client check what comes back against its schema.
  async call(name, args = {}) {
    return this.withClient(async (client) => {
      await client.listTools();
      const result = await client.callTool({ name, arguments: args });
      return result.structuredContent;
    });
  }
}
