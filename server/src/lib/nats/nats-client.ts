import { setTimeout as pause } from "node:timers/promises";
import type * as Nats from "@nats-io/transport-node";
import { SECOND } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { withTimeout } from "../timeouts.ts";
import { checkFiles, FileError } from "./check-files.ts";
import { checkPermissions, serverProblem } from "./check-server.ts";
import { credentialsFrom } from "./credentials.ts";
import type { NatsSettings } from "./nats-settings.ts";

const CONNECT_MS = 2 * SECOND;
const CLOSE_MS = 2 * SECOND;
const RECONNECT_MS = 250;
/** The ping interval; a connection that twice fails to answer counts as broken. */
const PING_MS = 2 * SECOND;
const RETRY_MS = SECOND;
const MAX_RETRY_MS = 30 * SECOND;

/** Errors of a connection attempt that may succeed later; other failures need an operator. */
const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOTFOUND|EAI_AGAIN)$/;

export interface NatsClientOptions {
  settings: NatsSettings;
  /** The name of this process as the NATS monitoring shows it. */
  name: string;
  /** The handler of each subject's messages. The first one receives an empty message at the start. */
  subscriptions: ReadonlyMap<string, (data: Buffer, subject: string) => void>;
  /** Called when a connection is up, with all subscriptions. */
  onUp(): void;
  /** Called when the connection is established or lost. */
  onConnected(isConnected: boolean): void;
  /** The consequences of a missing connection, for the log. */
  consequences: { unreachable: string; broken: string };
  logger: Logger;
}

/** One connection to NATS, re-established whenever it breaks. */
export class NatsClient {
  readonly #options: NatsClientOptions;
  #connection: Nats.NatsConnection | undefined;
  #isConnected = false;
  #isClosed = false;

  constructor(options: NatsClientOptions) {
    this.#options = options;
    this.#setConnected(false);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** The length in bytes of the longest message that the server accepts. */
  get maxPayload(): number {
    return this.#connection?.info?.max_payload ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Connects and checks the server. If no server answers, further attempts follow in the background.
   *
   * @returns whether there is a connection
   * @throws Error if the settings, the server's version or its configuration must be changed
   */
  async open(): Promise<boolean> {
    try {
      await this.#connect();
      return true;
    } catch (error) {
      if (!isUnreachable(error as Error)) throw problemOf(this.#options.settings, error as Error);
      this.#options.logger.error(
        { err: (error as Error).message },
        `no NATS server answers: ${this.#options.consequences.unreachable}`,
      );
      void this.#retry();
      return false;
    }
  }

  /**
   * Sends a message; messages leave in the order of the calls.
   *
   * @param reply the subject to which NATS reports that `subject` has no subscription.
   * @returns false while there is no connection
   */
  publish(subject: string, data: Buffer, reply?: string): boolean {
    if (!this.#isConnected) return false;
    try {
      this.#connection!.publish(subject, data, reply === undefined ? {} : { reply });
      return true;
    } catch (error) {
      this.#options.logger.error({ err: (error as Error).message }, "NATS does not accept a message");
      return false;
    }
  }

  /**
   * Sends a message and waits for its answer.
   *
   * @throws Error without a connection, without an answer within `timeoutMs`, and if no server subscribes to the
   *   subject
   */
  async request(subject: string, data: Buffer | string, timeoutMs: number, id?: string): Promise<Buffer> {
    if (!this.#isConnected) throw new Error("there is no connection to NATS");
    const headers = id === undefined ? {} : { headers: await messageId(id) };
    const answer = await this.#connection!.request(subject, data, { timeout: timeoutMs, ...headers });
    const { buffer, byteOffset, byteLength } = answer.data;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Passes published messages to the kernel. */
  flush(): void {
    // A broken connection rejects; its end is handled elsewhere.
    if (this.#isConnected) this.#connection!.flush().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    if (!connection) return;
    if (this.#isConnected) await withTimeout(connection.flush(), CLOSE_MS, () => undefined).catch(() => undefined);
    this.#setConnected(false);
    await connection.close();
  }

  async #connect(): Promise<void> {
    const { settings, name, subscriptions } = this.#options;
    const nats = await import("@nats-io/transport-node");
    await checkFiles(settings);
    const connection = await nats.connect(optionsOf(settings, name, nats));
    try {
      for (const [subject, onMessage] of subscriptions) this.#subscribe(connection, subject, onMessage);
      const problem = serverProblem(connection.info!, settings);
      if (problem !== undefined) throw new Error(problem);
      await checkPermissions(connection, [...subscriptions.keys()][0]!);
    } catch (error) {
      await connection.close();
      throw error;
    }
    if (this.#isClosed) return await connection.close();
    this.#connection = connection;
    this.#up();
    void this.#follow(connection);
  }

  #subscribe(connection: Nats.NatsConnection, subject: string, onMessage: (data: Buffer, subject: string) => void) {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) {
          this.#options.logger.error({ err: error.message, subject }, "NATS ended a subscription");
          return;
        }
        const { buffer, byteOffset, byteLength } = message.data;
        onMessage(Buffer.from(buffer, byteOffset, byteLength), message.subject);
      },
    });
  }

  async #retry(): Promise<void> {
    for (let delayMs = RETRY_MS; !this.#isClosed; delayMs = Math.min(2 * delayMs, MAX_RETRY_MS)) {
      await pause(delayMs, undefined, { ref: false });
      try {
        if (!this.#isClosed) await this.#connect();
        return;
      } catch (error) {
        const { message } = problemOf(this.#options.settings, error as Error);
        this.#options.logger.warn({ err: message, delayMs }, "no connection to NATS; retrying");
      }
    }
  }

  /** Follows the connection's status. The library reconnects by itself; a connection that it gives up is replaced. */
  async #follow(connection: Nats.NatsConnection): Promise<void> {
    const { logger, consequences } = this.#options;
    for await (const status of connection.status()) {
      if (status.type === "disconnect" && this.#isConnected && !this.#isClosed) {
        this.#setConnected(false);
        logger.error({ server: status.server }, `the connection to NATS is broken: ${consequences.broken}`);
      } else if (status.type === "reconnect") this.#up();
      else if (status.type === "error") logger.error({ err: status.error.message }, "NATS reports an error");
    }
    if (this.#isClosed) return;
    this.#setConnected(false);
    void this.#retry();
  }

  #up(): void {
    const { settings, logger, onUp } = this.#options;
    const { info } = this.#connection!;
    const problem = info && serverProblem(info, settings);
    if (problem !== undefined) logger.error(problem);
    logger.info({ server: info?.server_name, version: info?.version }, "connected to NATS");
    this.#setConnected(true);
    onUp();
  }

  #setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#options.onConnected(isConnected);
  }
}

async function messageId(id: string): Promise<Nats.MsgHdrs> {
  const nats = await import("@nats-io/transport-node");
  const headers = nats.headers();
  headers.set("Nats-Msg-Id", id);
  return headers;
}

function optionsOf(settings: NatsSettings, name: string, nats: typeof Nats): Nats.NodeConnectionOptions {
  const { servers, tls, credentialsFile, caFile, certFile, keyFile } = settings;
  const files = { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) };
  return {
    servers,
    name,
    inboxPrefix: "muster.inbox",
    ...(tls ? { tls: files } : {}),
    ...(credentialsFile === undefined ? {} : { authenticator: credentialsFrom(credentialsFile, nats) }),
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    // Credentials may be replaced while the connection is broken.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
  };
}

function isUnreachable(error: Error & { code?: unknown }): boolean {
  const code = error.code ?? (error.cause as { code?: unknown } | undefined)?.code;
  return /^(TimeoutError|ConnectionError)$/.test(error.name) ? code === undefined || isNetwork(code) : isNetwork(code);
}

function isNetwork(code: unknown): boolean {
  return typeof code === "string" && UNREACHABLE.test(code);
}

/** Returns the error with the name of the setting that it concerns. */
function problemOf(settings: NatsSettings, error: Error): Error {
  if (error instanceof FileError) return error;
  const servers = settings.servers.join(", ");
  if (error.name === "AuthorizationError")
    return new Error(
      `MUSTER_NATS_CREDENTIALS_FILE: NATS (${servers}) refuses this user (${error.message}); muster nats config prints the configuration that the server needs`,
    );
  return new Error(`MUSTER_NATS_URL: NATS (${servers}) cannot be used: ${error.message}`);
}
