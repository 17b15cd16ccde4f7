import type pg from "pg";
import type { ClientSource } from "../types.ts";

/** The turns of ingest in a row after which a waiting request has one. */
const INGEST_IN_A_ROW = 3;

/**
 * Shares the one client of the embedded database between two sources. Ingest comes first, so that a user whose requests
 * fill the queue does not delay the acknowledgements of devices; requests get every fourth turn at least. The waiters
 * of a source are served in order.
 */
export class OneClient {
  readonly #pool: pg.Pool;
  readonly #ingest: (() => void)[] = [];
  readonly #requests: (() => void)[] = [];
  #isTaken = false;
  #ingestInARow = 0;

  /** @param pool has one client, and is used by nothing else under load */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  get ingest(): ClientSource {
    return this.#source(this.#ingest);
  }

  get requests(): ClientSource {
    return this.#source(this.#requests);
  }

  get isIdle(): boolean {
    return !this.#isTaken;
  }

  #source(queue: (() => void)[]): ClientSource {
    const pool = this.#pool;
    const connect = () => this.#lease(queue);
    const query = async (text: string) => {
      const client = await connect();
      return await client.query(text).finally(() => client.release());
    };
    const end = async () => void (pool.ending || (await pool.end()));
    return { connect, query, on: pool.on.bind(pool), end } as unknown as ClientSource;
  }

  async #lease(queue: (() => void)[]): Promise<pg.PoolClient> {
    if (this.#isTaken) await new Promise<void>((resolve) => queue.push(resolve));
    this.#isTaken = true;
    try {
      const client = await this.#pool.connect();
      const release = client.release.bind(client);
      client.release = (destroy) => {
        release(destroy);
        this.#next();
      };
      return client;
    } catch (error) {
      this.#next();
      throw error;
    }
  }

  /** Gives the client to the next waiter; it stays taken meanwhile. */
  #next(): void {
    const isIngestFirst = this.#ingestInARow < INGEST_IN_A_ROW;
    const [first, second] = isIngestFirst ? [this.#ingest, this.#requests] : [this.#requests, this.#ingest];
    const queue = first.length > 0 ? first : second;
    const take = queue.shift();
    this.#isTaken = take !== undefined;
    this.#ingestInARow = this.#isTaken && queue === this.#ingest ? this.#ingestInARow + 1 : 0;
    take?.();
  }
}
