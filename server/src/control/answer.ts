import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { ZodError } from "zod";
import { isMusterError, sentence } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { firstIssue, issueText } from "../lib/schema-issue.ts";
import type { ControlProblem } from "./client.ts";
import type { Facades } from "./facades.ts";
import type { Subcommand } from "./subcommand.ts";
import { accessSubcommands } from "./subcommands/access.ts";
import { certificateSubcommands } from "./subcommands/certificates.ts";
import { connectionSubcommands } from "./subcommands/connections.ts";
import { waitingSubcommands } from "./subcommands/device-commands.ts";
import { deviceSubcommands } from "./subcommands/devices.ts";
import { nodeSubcommands } from "./subcommands/nodes.ts";
import { notificationSubcommands } from "./subcommands/notifications.ts";
import { operationsSubcommands } from "./subcommands/operations.ts";
import { serviceAccountSubcommands } from "./subcommands/service-accounts.ts";
import { shiftSubcommands } from "./subcommands/shifts.ts";
import { thresholdSubcommands } from "./subcommands/thresholds.ts";

const MAX_BODY_BYTES = 256 * 1024;
const SUBCOMMANDS = new Map<string, Subcommand>(
  [
    ...accessSubcommands,
    ...serviceAccountSubcommands,
    ...certificateSubcommands,
    ...connectionSubcommands,
    ...deviceSubcommands,
    ...waitingSubcommands,
    ...nodeSubcommands,
    ...notificationSubcommands,
    ...operationsSubcommands,
    ...shiftSubcommands,
    ...thresholdSubcommands,
  ].map((each) => [each.name, each]),
);

/** Answers `POST /<command>` with a JSON object: `200` and the command's result, or another status and a problem. */
export function answerSubcommands(facades: Facades, logger: Logger): RequestListener {
  return (request, response) => {
    answer(facades, logger, request).then(
      ({ status, body }) => send(response, status, body),
      (error: Error) => {
        logger.warn({ err: error.message }, "a request on the control socket failed");
        response.destroy();
      },
    );
  };
}

async function answer(
  facades: Facades,
  logger: Logger,
  request: IncomingMessage,
): Promise<{ status: number; body: object }> {
  const name = (request.url ?? "").slice(1);
  const found = request.method === "POST" ? SUBCOMMANDS.get(name) : undefined;
  const body = await readBody(request);
  if (!found)
    return refused(
      404,
      "unknown_command",
      `Unknown command ${name}. Use a command line of the same version as the service.`,
    );
  if (body === undefined)
    return refused(400, "invalid_request", `The body must be JSON of at most ${MAX_BODY_BYTES} bytes.`);
  try {
    return { status: 200, body: await found.run(facades, body) };
  } catch (error) {
    return problemOf(error, name, logger);
  }
}

function problemOf(error: unknown, name: string, logger: Logger): { status: number; body: ControlProblem } {
  if (error instanceof ZodError) return refused(400, "invalid_request", shapeProblem(error));
  if (isMusterError(error)) return refused(400, error.code, error.message, error.detail);
  logger.error({ err: error instanceof Error ? error.message : String(error), subcommand: name }, "a command failed");
  return refused(500, "internal_error", "Internal error. The log of the service has the details.");
}

/** Names the first invalid field, as the public API does. */
function shapeProblem({ issues }: ZodError): string {
  const issue = firstIssue(issues);
  const place = issue.path.join(".");
  if (issue.keys) return `Unknown field: ${[...issue.path, issue.keys[0]].join(".")}.`;
  return sentence(`${place || "the command"} ${issueText(issue)}`, place);
}

function refused(status: number, error: string, message: string, detail?: string) {
  return { status, body: { error, message, ...(detail === undefined ? {} : { detail }) } };
}

/** Returns the parsed body, or `undefined` if it is too large or not JSON. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify(body));
}
