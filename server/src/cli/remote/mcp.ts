import type { Command } from "commander";
import type { Outcome } from "../../mcp/server.ts";
import { type Tool, type ToolRequest, toolsOf } from "../../mcp/tools.ts";
import { type Api, ApiError, type ApiRequest } from "./api-client.ts";
import { target } from "./target.ts";

/** Adds `muster mcp`. */
export function addMcp(program: Command, version: string): void {
  program
    .command("mcp")
    .description("Offer the API as tools of the Model Context Protocol, on standard input and output")
    .option("--allow-writes", "Offer writes too, but never those of certificates, claims and credentials")
    .action(async ({ allowWrites = false }) => {
      const api = target();
      if (!api) throw new Error("muster mcp needs --server with --api-key-file, or --profile");
      const tools = toolsOf(await api.description(), { writes: allowWrites });
      const { serveStdio } = await import("../../mcp/server.ts");
      await serveStdio(version, tools, (tool, request) => run(api, tool, request));
    });
}

async function run(api: Api, { method, path }: Tool, { params, query, body }: ToolRequest): Promise<Outcome> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const wanted = { method: method as ApiRequest["method"], path: filled.replace(/^\/api\/v1/, ""), query };
  try {
    return { ok: true, answer: await api.send(body === undefined ? wanted : { ...wanted, body }) };
  } catch (error) {
    const known = error instanceof ApiError;
    return { ok: false, problem: known ? error.problem : { error: "no_answer", message: (error as Error).message } };
  }
}
