import type { Socket } from "node:net";
import pg from "pg";
import type { Logger } from "../lib/logger.ts";
import type { Unlisten } from "./types.ts";

const RECONNECT_MS = 500;
/** How often the connection is checked, and how long an answer may take. */
const CHECK_MS = 5_000;
const ANSWER_MS = 5_000;

type Handler = (payload: string) => void;

export interface Listener {
  listen(channel: string, handler: Handler): Promise<Unlisten>;
  close(): Promise<void>;
}

/**
 * One dedicated connection for LISTEN, replaced when it breaks. A connection that only listens does not notice that the server's host
 * is gone, so it runs a statement every `checkMs`. Notifications sent while it is down are lost: after each reconnect every handler
 * is called with an empty payload and must read the stored state.
 */
export function createListener(url: string, logger: Logger, checkMs = CHECK_MS, answerMs = ANSWER_MS): Listener {
  const handlers = new Map<string, Set<Handler>>();
  let client: pg.Client | undefined;
  let connecting: Promise<pg.Client> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: "muster-listen",
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    });
    fresh.on("notification", ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? "");
    });
    fresh.on("error", (error) => logger.warn({ err: error.message }, "the listening connection broke"));
    // Not `end()`, which sends a message and waits for the server to close the connection.
    const drop = () => (fresh as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    const check = setInterval(() => void fresh.query("SELECT").catch(drop), checkMs).unref();
    fresh.on("end", () => {
      clearInterval(check);
      lost(fresh);
    });
    try {
      await fresh.connect();
      for (const channel of handlers.keys()) await fresh.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      clearInterval(check);
      drop();
      throw error;
    }
    client = fresh;
    return fresh;
  }

  function lost(which: pg.Client): void {
    if (client !== which || closed) return;
    client = undefined;
    retryLater();
  }

  function retryLater(): void {
    timer = setTimeout(() => {
      ready().then(
        () => {
          for (const set of handlers.values()) for (const handler of set) handler("");
        },
        () => retryLater(),
      );
    }, RECONNECT_MS);
  }

  function ready(): Promise<pg.Client> {
    if (client) return Promise.resolve(client);
    connecting ??= connect().finally(() => {
      connecting = undefined;
    });
    return connecting;
  }

  return {
    async listen(channel, handler) {
      const set = handlers.get(channel) ?? new Set();
      const fresh = set.size === 0;
      handlers.set(channel, set.add(handler));
      const connected = await ready();
      if (fresh) await connected.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      return async () => {
        set.delete(handler);
      };
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await connecting?.catch(() => undefined);
      await client?.end();
    },
  };
}
