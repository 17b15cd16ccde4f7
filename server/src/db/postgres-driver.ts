import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type pg from "pg";
import { PreparedQuery, type PreparedResult } from "./prepared-query.ts";
import { endsConnection } from "./refusal.ts";
import type { BoundStatement, ClientSource, DriverQuery } from "./types.ts";

/** The longest possible timer, 24 days: pg reads 0 as "use the connection's default". */
const NO_LIMIT_MS = 2 ** 31 - 1;

const COMMIT = CompiledQuery.raw("commit");
const ROLLBACK = CompiledQuery.raw("rollback");

/** Creates Kysely on `pool`, with prepared statements and transactions that can lift the pool's time limit. */
export function postgresDialect(pool: ClientSource): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PostgresDriver implements Driver {
  readonly #pool: ClientSource;
  /** One object per client: Kysely instruments each object that is new to it. */
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>();

  constructor(pool: ClientSource) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const client = await this.#pool.connect();
    let connection = this.#connections.get(client);
    if (connection === undefined) {
      connection = new PostgresConnection(client);
      this.#connections.set(client, connection);
    }
    return connection;
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings);
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

interface PostgresResult<Row> extends QueryResult<Row> {
  /** The name of PostgreSQL's action: `SELECT`, `COMMIT`, …. */
  readonly command: string;
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  /** The time to wait for an answer, instead of the pool's `query_timeout`. */
  #timeoutMs: number | undefined;
  /**
   * Set if PostgreSQL has ended the session or has not answered a statement. It may still execute the latter: after a
   * BEGIN, later statements on this connection would then not be committed.
   */
  #broken = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<PostgresResult<Row>> {
    const { statementName, liftsTimeLimit } = query as DriverQuery;
    if (liftsTimeLimit !== undefined) this.#timeoutMs = liftsTimeLimit ? NO_LIMIT_MS : undefined;
    try {
      const { command, rowCount, rows } =
        statementName === undefined ? await this.#run(query) : await this.#runPrepared(query as BoundStatement);
      const changes = command === "INSERT" || command === "UPDATE" || command === "DELETE" || command === "MERGE";
      return { command, rows: rows as Row[], ...(changes ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
    } catch (error) {
      this.#broken ||= endsConnection(error);
      throw withCallersStack(error);
    }
  }

  // biome-ignore lint/correctness/useYield: the interface requires the method, nothing calls it
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("streaming is not supported");
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : "";
    await this.executeQuery(CompiledQuery.raw(`begin${level}${accessMode ? ` ${accessMode}` : ""}`));
  }

  async commit(): Promise<void> {
    this.#timeoutMs = undefined;
    const { command } = await this.executeQuery(COMMIT);
    // PostgreSQL's answer if a statement of the transaction failed and the caller continued anyway.
    if (command === "ROLLBACK") throw new Error("not committed: an earlier statement of the transaction has failed");
  }

  async rollback(): Promise<void> {
    this.#timeoutMs = undefined;
    // PostgreSQL ends the transaction with the connection.
    if (this.#broken) return;
    try {
      await this.executeQuery(ROLLBACK);
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }

  /**
   * Returns the client to the pool, which closes it if the session has ended, a statement was not answered, or a
   * transaction could not be ended.
   */
  release(): void {
    this.#client.release(this.#broken);
  }

  #run({ sql: text, parameters }: CompiledQuery): Promise<pg.QueryResult> {
    // `query_timeout` is missing in pg's types.
    const config = { text, values: parameters as unknown[], query_timeout: this.#timeoutMs };
    return this.#client.query(config);
  }

  #runPrepared(statement: BoundStatement): Promise<PreparedResult> {
    return new Promise((resolve, reject) => {
      const query = new PreparedQuery(statement, this.#timeoutMs);
      query.callback = (error, result) => (error ? reject(error) : resolve(result!));
      this.#client.query(query as unknown as pg.Submittable);
    });
  }
}

/**
 * Appends the caller's stack: the stack of pg's errors begins at the socket, and does not show which code ran the
 * statement.
 */
function withCallersStack(error: unknown): unknown {
  if (error instanceof Error) error.stack += `\n${new Error().stack?.split("\n").slice(1).join("\n")}`;
  return error;
}
