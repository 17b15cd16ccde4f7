import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../access/access.ts";
import { isMusterError } from "../../lib/errors.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import type { Logger } from "../../lib/logger.ts";
import { type HolderTools, holderOf } from "./stream-holder.ts";
import { StreamWriter } from "./stream-writer.ts";

/** An event as sent: its cursor is the id of the message, the rest its data. */
export interface StreamedEvent {
  readonly cursor: string;
}

/** The source of a stream, as returned by `live.follow`. */
export interface Feed {
  readonly cursor: string;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

type Receive = (events: readonly StreamedEvent[]) => Promise<void>;

/** The answer of a route's handler that is an event stream; `open` begins after a cursor, or now. */
export class EventStream {
  readonly open: (after: string | undefined, receive: Receive) => Promise<Feed>;

  constructor(open: EventStream["open"]) {
    this.open = open;
  }
}

export interface StreamTools extends HolderTools {
  logger: Logger;
  /** Reports to the listener that the answer of a request is a live stream, with limits of its own. */
  begun(request: FastifyRequest["raw"]): void;
}

/**
 * Sends an event stream until the client closes it, its session or API key ends, or the service stops. A cursor whose
 * events have been deleted is answered by `reset`, after which the stream continues from the present.
 *
 * @throws MusterError invalid_request, or Refusal rate_limited, before the stream has begun
 */
export async function serveEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { open }: EventStream,
  { logger, begun: streams, ...tools }: StreamTools,
): Promise<FastifyReply> {
  reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no");
  if (request.method === "HEAD") return reply.send("");
  const holder = holderOf(request.who as Caller, tools);
  const leave = holder.take();
  const begun = Promise.withResolvers<StreamWriter>();
  begun.promise.catch(() => undefined);
  const holderEnded = Promise.withResolvers<void>();
  const receive: Receive = async (events) => {
    const writer = await begun.promise;
    await writer.write(events.map(({ cursor, ...data }) => ({ id: cursor, data })));
  };
  const release = [leave];
  const releaseAll = () => {
    for (const each of release.splice(0)) each();
  };
  try {
    await faultPoint("stream.open");
    release.push(await holder.follow(holderEnded.resolve));
    const feed = await open(lastEventId(request), receive);
    const writer = begin(reply);
    streams(request.raw);
    holderEnded.promise.then(() => writer.end(holder.ended));
    writer.write([{ event: "ready", id: feed.cursor, data: {} }]);
    begun.resolve(writer);
    feedUntilClosed(feed, writer, () => open(undefined, receive))
      .catch((error: Error) => {
        logger.warn({ requestId: request.id, err: error.message }, "a live stream has failed");
        writer.end("failed");
      })
      .finally(releaseAll);
  } catch (error) {
    begun.reject(error);
    releaseAll();
    throw error;
  }
  return reply;
}

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Starts writing the answer by hand: from here on no error can be answered any more. */
function begin(reply: FastifyReply): StreamWriter {
  reply.hijack();
  // The stream has a connection of its own, which closes after the last message.
  reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), connection: "close" });
  return new StreamWriter(reply.raw);
}

/** Resolves when the connection has closed and no feed is running. */
async function feedUntilClosed(first: Feed, writer: StreamWriter, reopen: () => Promise<Feed>): Promise<void> {
  let feed = first;
  let isClosed = false;
  const closed = writer.closed.then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    const expired = await Promise.race([closed, feed.ended.then(() => false, isExpired)]);
    if (isClosed) break;
    if (expired !== true) {
      writer.end("stopping");
      await closed;
      break;
    }
    feed = await reopen();
    await writer.write([{ event: "reset", id: feed.cursor, data: {} }]);
  }
  await feed.stop();
}

/** Reports whether the cursor has expired. @throws any other error that ended the feed */
function isExpired(error: unknown): true {
  if (isMusterError(error, "cursor_expired")) return true;
  throw error;
}
