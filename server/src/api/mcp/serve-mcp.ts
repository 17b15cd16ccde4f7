import type { FastifyInstance, FastifyRequest } from "fastify";
import { VERSION } from "../../lib/installed/version.ts";
import type { RunTool } from "../../mcp/server.ts";
import { type Tool, toolsOf } from "../../mcp/tools.ts";
import { refuseOtherMethods } from "../http/other-methods.ts";
import { admitKey } from "../pipeline/guards.ts";
import { BODY_LIMIT, type PipelineTools } from "../pipeline/pipeline.ts";
import { type RunTools, routeOf, runOperation } from "../pipeline/run-operation.ts";
import { Refusal } from "../problem.ts";

export const MCP_PATH = "/mcp";

interface McpTools extends PipelineTools, RunTools {
  addresses: { readonly baseUrl: string };
  corsOrigins: readonly string[];
}

/**
 * Serves the Model Context Protocol (revision 2025-11-25, streamable HTTP) without sessions: a POST is one message, and
 * counts as one request of its API key, which is the bearer token. `?writes=true` offers writes as well.
 */
export function serveMcp(app: FastifyInstance, tools: McpTools): void {
  const offered = new Map<boolean, Promise<Tool[]>>();
  // Loaded at the first request: most processes never serve one.
  const load = async (writes: boolean) => {
    const [{ answerHttp }, { documentInTurns }] = await Promise.all([
      import("../../mcp/server.ts"),
      import("../openapi/openapi.ts"),
    ]);
    const tools = offered.get(writes) ?? documentInTurns("public").then((document) => toolsOf(document, { writes }));
    offered.set(writes, tools);
    return { answerHttp, offered: await tools };
  };
  app.post(MCP_PATH, {
    bodyLimit: BODY_LIMIT.public,
    config: { secret: true },
    onRequest: async (request, reply) => {
      requireKnownOrigin(request, tools);
      request.who = await admitKey(request, reply, bearer(request), tools);
    },
    handler: async (request, reply) => {
      // A batch would run many operations for one request of the key.
      if (Array.isArray(request.body)) throw new Refusal("invalid_request", "send one message per request");
      const writes = new URL(request.url, "https://localhost").searchParams.get("writes") === "true";
      const run: RunTool = ({ name }, raw) => runOperation(request, tools, routeOf(name), raw);
      const { answerHttp, offered } = await load(writes);
      const answer = await answerHttp(VERSION, offered, run, { request: webRequest(request), body: request.body });
      reply.code(answer.status).headers(Object.fromEntries(answer.headers));
      return reply.send(await answer.text());
    },
  });
  refuseOtherMethods(app, MCP_PATH, ["POST"]);
}

function bearer({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** Refuses pages of other origins, as the transport demands (DNS rebinding). */
function requireKnownOrigin({ headers: { origin } }: FastifyRequest, { addresses, corsOrigins }: McpTools): void {
  if (origin === undefined || origin === new URL(addresses.baseUrl).origin || corsOrigins.includes(origin)) return;
  throw new Refusal("foreign_origin", "only pages of listed origins may send this", { detail: origin });
}

function webRequest({ method, url, headers }: FastifyRequest): Request {
  const plain = Object.entries(headers).filter((each): each is [string, string] => typeof each[1] === "string");
  return new Request(new URL(url, "https://localhost"), { method, headers: plain });
}
