import { SECOND } from "../clock.ts";
import type { NatsClient } from "./nats-client.ts";

const API_MS = 5 * SECOND;
const NANOSECONDS = 1e6;

/** Error numbers of a NATS server. */
export const JETSTREAM_ERROR = {
  noMessage: 10037,
  notEnabled: 10039,
  notFound: 10059,
  /**
   * No servers for the replicas of a stream, or no leader: also while servers that have just started do not know each
   * other yet.
   */
  notPlaced: new Set([10005, 10008]),
  /** The stream is full: its bytes, its messages, or the storage of the server or the account. */
  full: new Set([10002, 10023, 10047, 10077]),
} as const;

/** Thrown for a request that JetStream refuses. */
export class JetStreamError extends Error {
  readonly number: number;

  constructor(number: number, description: string) {
    super(description);
    this.number = number;
  }
}

/**
 * Thrown when a server has received the message before but not stored it. It may store it later, or a new leader may
 * not know the message.
 */
export class NotStoredYet extends Error {}

/** A stream's configuration, in the units of this code. */
export interface StreamConfig {
  name: string;
  subjects: string[];
  maxBytes: number;
  replicas: number;
  duplicateWindowMs: number;
}

export interface StreamState {
  /** The creation time, which identifies the stream: a later stream with the same name has a different one. */
  id: string;
  messages: number;
  bytes: number;
  maxBytes: number;
  replicas: number;
  storage: string;
  discard: string;
  lastSequence: number;
  /** The time at which the oldest message was appended; `undefined` if there is none. */
  oldestAt: Date | undefined;
}

/** A message of a stream. */
export interface StreamMessage {
  sequence: number;
  data: Buffer;
}

interface Answer {
  error?: { code: number; err_code?: number; description?: string };
}

/**
 * The number of messages per subject in a stream. Messages on other subjects have a higher sequence than
 * `lastSequence`.
 */
export interface SubjectCounts {
  lastSequence: number;
  counts: ReadonlyMap<string, number>;
}

interface InfoAnswer extends Answer {
  created: string;
  config: { max_bytes: number; num_replicas: number; storage: string; discard: string };
  state: { messages: number; bytes: number; last_seq: number; first_ts: string; subjects?: Record<string, number> };
}

type Client = Pick<NatsClient, "request">;

/**
 * One JetStream stream, accessed by documented requests (`$JS.API.…`). Each method throws {@link JetStreamError} for a
 * refused request.
 */
export class JetStream {
  readonly #client: Client;
  readonly #name: string;

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Creates the stream, or updates the configuration of the existing one. */
  async create(config: StreamConfig): Promise<StreamState> {
    const settings = {
      name: config.name,
      subjects: config.subjects,
      retention: "limits",
      storage: "file",
      discard: "new",
      max_bytes: config.maxBytes,
      num_replicas: config.replicas,
      duplicate_window: config.duplicateWindowMs * NANOSECONDS,
    };
    const known = await this.info();
    const verb = known === undefined ? "CREATE" : "UPDATE";
    return stateOf(await this.#api<InfoAnswer>(`STREAM.${verb}.${this.#name}`, settings));
  }

  /** Returns the stream's state; `undefined` if there is no stream. */
  async info(): Promise<StreamState | undefined> {
    try {
      return stateOf(await this.#api<InfoAnswer>(`STREAM.INFO.${this.#name}`));
    } catch (error) {
      if (error instanceof JetStreamError && error.number === JETSTREAM_ERROR.notFound) return undefined;
      throw error;
    }
  }

  /**
   * Appends a message. When this resolves, it is on a quorum of servers.
   *
   * @param id the deduplication id: the message is appended once
   * @returns its sequence in the stream
   * @throws NotStoredYet for a repetition that the server answers with sequence 0
   */
  async append(subject: string, id: string, data: Buffer, timeoutMs: number): Promise<number> {
    const { seq } = parse<Answer & { seq: number }>(await this.#client.request(subject, data, timeoutMs, id));
    if (!(seq > 0)) throw new NotStoredYet("the message is not stored yet");
    return seq;
  }

  /** Returns the first message of a subject at or after `sequence`; `undefined` if there is none. */
  async next(subject: string, sequence: number): Promise<StreamMessage | undefined> {
    try {
      const request = { seq: sequence, next_by_subj: subject };
      const { message } = await this.#api<Answer & { message: { seq: number; data?: string } }>(
        `STREAM.MSG.GET.${this.#name}`,
        request,
      );
      return { sequence: message.seq, data: Buffer.from(message.data ?? "", "base64") };
    } catch (error) {
      if (error instanceof JetStreamError && error.number === JETSTREAM_ERROR.noMessage) return undefined;
      throw error;
    }
  }

  /**
   * Returns the message counts.
   *
   * @param filter a subject filter.
   * @returns `undefined` if the server does not report them
   */
  async subjects(filter: string): Promise<SubjectCounts | undefined> {
    const { state } = await this.#api<InfoAnswer>(`STREAM.INFO.${this.#name}`, { subjects_filter: filter });
    if (state.subjects === undefined) return undefined;
    return { lastSequence: state.last_seq, counts: new Map(Object.entries(state.subjects)) };
  }

  /** Deletes the messages of a subject, or of all subjects, before `sequence`. */
  async purge(subject: string | undefined, sequence: number): Promise<void> {
    // A server reads 0 and 1 as "everything".
    if (sequence > 1) await this.#api(`STREAM.PURGE.${this.#name}`, { filter: subject, seq: sequence });
  }

  async #api<T extends Answer>(verb: string, request?: object): Promise<T> {
    const body = request === undefined ? "" : JSON.stringify(request);
    return parse<T>(await this.#client.request(`$JS.API.${verb}`, body, API_MS));
  }
}

function parse<T extends Answer>(bytes: Buffer): T {
  const answer = JSON.parse(bytes.toString("utf8")) as T;
  const { error } = answer;
  if (error) throw new JetStreamError(error.err_code ?? error.code, error.description ?? `error ${error.code}`);
  return answer;
}

function stateOf({ created, config, state }: InfoAnswer): StreamState {
  return {
    id: created,
    messages: state.messages,
    bytes: state.bytes,
    maxBytes: config.max_bytes,
    replicas: config.num_replicas,
    storage: config.storage,
    discard: config.discard,
    lastSequence: state.last_seq,
    oldestAt: state.messages > 0 ? new Date(state.first_ts) : undefined,
  };
}
