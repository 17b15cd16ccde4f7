import type { Socket } from "node:net";
import pg from "pg";
import type { Logger } from "../lib/logger.ts";
import type { Unlisten } from "./types.ts";

const RECONNECT_MS = 500;
/** The interval between checks of the connection, and the time permitted for an answer. */
const CHECK_MS = 5_000;
const ANSWER_MS = 5_000;
/**
 * The time PostgreSQL waits for a process that reads nothing. Meanwhile it keeps all notifications, up to 8 GB, and
 * then refuses commits that send one.
 */
const STUCK_MS = 60_000;

type Handler = (payload: string) => void;

export interface Listener {
  listen(channel: string, handler: Handler): Promise<Unlisten>;
  close(): Promise<void>;
}

/**
 * Creates a dedicated connection for LISTEN, which is replaced when it breaks. A connection that only listens does not
 * notice that the server's host is gone, so it runs a statement every `checkMs`. Notifications sent while it is down
 * are lost: after each reconnect every handler is called with an empty payload and must read the stored state.
 * PostgreSQL ends the connection of a stalled process that has read nothing for `stuckMs`.
 */
export function createListener(
  url: string,
  logger: Logger,
  checkMs = CHECK_MS,
  answerMs = ANSWER_MS,
  stuckMs = STUCK_MS,
): Listener {
  return new PostgresListener(url, logger, checkMs, answerMs, stuckMs);
}

class PostgresListener implements Listener {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #checkMs: number;
  readonly #answerMs: number;
  readonly #stuckMs: number;
  readonly #handlers = new Map<string, Set<Handler>>();
  #client: ListeningClient | undefined;
  #connecting: Promise<ListeningClient> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string, logger: Logger, checkMs: number, answerMs: number, stuckMs: number) {
    this.#url = url;
    this.#logger = logger;
    this.#checkMs = checkMs;
    this.#answerMs = answerMs;
    this.#stuckMs = stuckMs;
  }

  async listen(channel: string, handler: Handler): Promise<Unlisten> {
    const set = this.#handlers.get(channel) ?? new Set();
    const isFirst = set.size === 0;
    this.#handlers.set(channel, set.add(handler));
    const connected = await this.#ready();
    if (isFirst) await connected.listen(channel);
    return async () => {
      set.delete(handler);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#connecting?.catch(() => undefined);
    await this.#client?.end();
  }

  #ready(): Promise<ListeningClient> {
    if (this.#client) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<ListeningClient> {
    const client = new ListeningClient({
      connectionString: this.#url,
      application_name: "muster-listen",
      connectionTimeoutMillis: this.#answerMs,
      query_timeout: this.#answerMs,
    });
    client.on("notification", ({ channel, payload }) => this.#handle(channel, payload ?? ""));
    client.on("error", (error) => this.#logger.warn({ err: error.message }, "the listening connection broke"));
    // Not `end()`, which sends a message and waits for the server to close the connection.
    const drop = () => (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    const check = setInterval(() => void client.check().catch(drop), this.#checkMs).unref();
    client.on("end", () => {
      clearInterval(check);
      this.#reconnectAfter(client);
    });
    try {
      await client.connect();
      await client.limitStuck(this.#stuckMs);
      for (const channel of this.#handlers.keys()) await client.listen(channel);
    } catch (error) {
      clearInterval(check);
      drop();
      throw error;
    }
    this.#client = client;
    return client;
  }

  /**
   * Handles a notification. Every role of the database may send one, so a payload that a handler cannot parse must not
   * end the process.
   */
  #handle(channel: string, payload: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) {
      try {
        handler(payload);
      } catch (error) {
        this.#logger.error({ err: error, channel }, "a notification of the database could not be handled");
      }
    }
  }

  #reconnectAfter(lost: ListeningClient): void {
    if (this.#client !== lost || this.#closed) return;
    this.#client = undefined;
    this.#scheduleReconnect();
  }

  #scheduleReconnect(): void {
    this.#timer = setTimeout(() => {
      this.#ready().then(
        () => {
          for (const channel of this.#handlers.keys()) this.#handle(channel, "");
        },
        () => this.#scheduleReconnect(),
      );
    }, RECONNECT_MS);
  }
}

/** A client that runs one statement at a time; pg intends to refuse concurrent ones. */
class ListeningClient extends pg.Client {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a trivial statement. @throws Error if the server does not answer */
  check(): Promise<unknown> {
    return this.#inTurn("SELECT");
  }

  limitStuck(ms: number): Promise<unknown> {
    return this.#inTurn(`SET tcp_user_timeout = ${ms}`);
  }

  listen(channel: string): Promise<unknown> {
    return this.#inTurn(`LISTEN ${pg.escapeIdentifier(channel)}`);
  }

  #inTurn(statement: string): Promise<unknown> {
    const run = () => this.query(statement);
    const result = this.#last.then(run, run);
    this.#last = result;
    return result;
  }
}
