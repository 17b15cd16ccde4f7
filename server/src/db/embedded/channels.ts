import pg from "pg";
import type { Unlisten } from "../types.ts";

type Handler = (payload: string) => void;

/** LISTEN on the embedded database's one session, which lasts as long as its engine. */
export class Channels {
  readonly #pool: pg.Pool;
  readonly #handlers = new Map<string, Set<Handler>>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    pool.on("connect", (client) => {
      client.on("notification", ({ channel, payload }) => {
        for (const handler of this.#handlers.get(channel) ?? []) handler(payload ?? "");
      });
    });
  }

  async listen(channel: string, handler: Handler): Promise<Unlisten> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    await this.#pool.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    return async () => void handlers.delete(handler);
  }
}
