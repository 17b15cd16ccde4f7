import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Access, type Caller, type Declaration, keyOf, sessionIdOf } from "../../access/access.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Identity } from "../../identity/identity.ts";
import { type Clock, MINUTE } from "../../lib/clock.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Walk } from "../../lib/page.ts";
import { type CsvColumn, csvColumns } from "../export/csv-columns.ts";
import { cutLine, recordLine, titleLine } from "../export/csv-text.ts";
import type { Download } from "../export/download.ts";
import { exportedParts } from "../export/export-parts.ts";
import type { ExportSlots } from "../export/export-slots.ts";
import type { AdminUseCaseRoute } from "../route.ts";
import type { ValidInput } from "./validate.ts";

export interface ExportTools {
  slots: ExportSlots;
  identity: Pick<Identity, "followSession">;
  access: Pick<Access, "followKey">;
  audit: Pick<Audit, "recordExport">;
  clock: Clock;
  logger: Logger;
}

/** The exported list, as answered by its route. */
export interface Exported {
  route: AdminUseCaseRoute;
  input: ValidInput;
  run: Declaration;
}

/** Reports whether the list is requested as a file. */
export function wantsExport({ query }: ValidInput): boolean {
  return (query as { as?: string } | undefined)?.as === "csv";
}

/**
 * Sends a list as a CSV file (RFC 4180), read part by part and no faster than the client reads. If the file cannot be
 * completed, the connection is broken off, so that no client mistakes it for complete.
 *
 * @throws MusterError the list's refusal, or Refusal rate_limited, before the file has begun
 */
export async function serveExport(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, input, run }: Exported,
  { audit, clock, ...tools }: ExportTools,
): Promise<FastifyReply> {
  const caller = request.who as Caller;
  const columns = csvColumns(route.response!);
  return await serveFile(request, reply, tools, async () => {
    const { as: _as, skip: _skip, limit: _limit, ...query } = input.query as Record<string, unknown>;
    const read = (walk: Walk, limit: number) =>
      route.handler(caller, { ...input, query: { ...query, skip: 0, limit, walk } } as never, run);
    const parts = exportedParts(read);
    const first = await parts.next();
    setHeaders(reply, `${route.csv}-${clock.now().toISOString().slice(0, 10)}.csv`);
    if (request.method !== "HEAD") await audit.recordExport(caller, { list: route.csv!, filter: query });
    return linesOf(columns, first, parts);
  });
}

/**
 * Sends the pages of a walk as one file, as {@link serveExport} sends a list.
 *
 * @throws MusterError the refusal of the first page, or Refusal rate_limited, before the file has begun
 */
export async function serveDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
  tools: ExportTools,
): Promise<FastifyReply> {
  return await serveFile(request, reply, tools, async () => {
    const lines = await download.open();
    setHeaders(reply, download.name, download.mediaType);
    return lines;
  });
}

/** Sends lines no faster than the client reads, until the end, the end of the session or the key, or the time limit. */
async function serveFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { slots, identity, access, logger }: Omit<ExportTools, "audit" | "clock">,
  open: () => Promise<AsyncGenerator<string>>,
): Promise<FastifyReply> {
  const caller = request.who as Caller;
  const leave = slots.take(caller);
  let unfollow: () => void = () => undefined;
  const release = () => {
    unfollow();
    leave();
  };
  try {
    const lines = await open();
    if (request.method === "HEAD") {
      release();
      return reply.send("");
    }
    const file = new PassThrough();
    const end = () => file.destroy(new Error("the session or the key has ended"));
    const session = sessionIdOf(caller);
    unfollow = await (session === undefined
      ? access.followKey(keyOf(caller), end)
      : identity.followSession(session, end));
    // The time limit also applies while nothing moves: a client that reads a byte now and then would keep the
    // connection open.
    const signal = AbortSignal.timeout(DEFAULT_LIMITS.exportMinutes * MINUTE);
    pipeline(lines, file, { signal })
      .catch((error: Error) => logger.info({ requestId: request.id, err: error.message }, "an export has broken off"))
      .finally(release);
    return reply.send(file);
  } catch (error) {
    release();
    throw error;
  }
}

function setHeaders(reply: FastifyReply, name: string, type = "text/csv; charset=utf-8; header=present"): void {
  reply.type(type).header("content-disposition", `attachment; filename="${name}"`).header("x-accel-buffering", "no");
}

type Parts = ReturnType<typeof exportedParts>;

async function* linesOf(
  columns: readonly CsvColumn[],
  first: Awaited<ReturnType<Parts["next"]>>,
  parts: Parts,
): AsyncGenerator<string> {
  yield titleLine(columns);
  let part = first;
  while (!part.done) {
    const text = part.value.map((record) => recordLine(columns, record)).join("");
    if (text !== "") yield text;
    part = await parts.next();
  }
  if (part.value) yield cutLine(columns, DEFAULT_LIMITS.exportRows);
}
