// An agent: calls tools over MCP with its token.

/** What stands in every call that only proposes something ordinary. */
const CONTACT = { name: 'Dorothy Vaughan', email: 'dorothy@example.com', status: 'lead' };

export class Agent {
  constructor(origin, token, connection) {
    this.endpoint = `${origin}/mcp`;
    this.token = token;
    this.connection = connection;
  }

  /** Calls a tool; a refusal is an error here. */
  async call(tool, args) {
    const response = await fetch(this.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${this.token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
    });
    const answer = await response.json();
    if (!answer.result || answer.result.isError) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
    return answer.result.structuredContent;
  }

  /** Proposes a write; what is not said is an ordinary new contact. */
  propose({ action = 'create_contact', input = CONTACT, reason = 'She asked for an offer.', ...more } = {}) {
    // A key of its own, so that an equal proposal is another one.
    const key = `k${Math.random().toString(36).slice(2)}`;
    return this.call(`${this.connection}_propose`, { action, input, reason, idempotency_key: key, ...more });
  }

  get(proposal) {
    return this.call('proposals_get', { proposal_id: proposal.proposal_id });
  }

  withdraw(proposal) {
    return this.call('proposals_withdraw', { proposal_id: proposal.proposal_id });
  }

  apply() {
    return this.call(`${this.connection}_apply`, {});
  }
}
