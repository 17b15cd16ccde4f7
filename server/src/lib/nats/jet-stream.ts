import { SECOND } from "../clock.ts";
import type { NatsClient } from "./nats-client.ts";

const API_MS = 5 * SECOND;
const NANOSECONDS = 1e6;

/** What a server of NATS refuses, by its numbers. */
export const JETSTREAM_ERROR = {
  noMessage: 10037,
  notEnabled: 10039,
  notFound: 10059,
  /** No servers for the copies of a stream, or none that leads: also while servers that have just started do not know each other yet. */
  notPlaced: new Set([10005, 10008]),
  /** The stream is full: its bytes, its messages, or the storage of the server or the account. */
  full: new Set([10002, 10023, 10047, 10077]),
} as const;

/** JetStream has refused something. */
export class JetStreamError extends Error {
  readonly number: number;

  constructor(number: number, description: string) {
    super(description);
    this.number = number;
  }
}

/** A server has got the message before and not stored it: perhaps it will, perhaps another server leads by now and does not know it. */
export class NotStoredYet extends Error {}

/** A stream, in the units of this code. */
export interface StreamConfig {
  name: string;
  subjects: string[];
  maxBytes: number;
  replicas: number;
  duplicateWindowMs: number;
}

export interface StreamState {
  /** When it was created: another stream of the same name has another one. */
  id: string;
  messages: number;
  bytes: number;
  maxBytes: number;
  replicas: number;
  storage: string;
  discard: string;
  lastSequence: number;
  /** When the oldest message was appended; undefined where there is none. */
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

/** How many messages of which subjects a stream has. What the others get has a higher sequence than the last one. */
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

/** One stream of JetStream, by its documented requests (`$JS.API.…`). Each throws {@link JetStreamError} for what the server refuses. */
export class JetStream {
  readonly #client: Client;
  readonly #name: string;

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Creates the stream, or sets the configuration of the one there is. */
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

  /** @returns undefined where there is no stream */
  async info(): Promise<StreamState | undefined> {
    try {
      return stateOf(await this.#api<InfoAnswer>(`STREAM.INFO.${this.#name}`));
    } catch (error) {
      if (error instanceof JetStreamError && error.number === JETSTREAM_ERROR.notFound) return undefined;
      throw error;
    }
  }

  /**
   * Appends a message; it is on a quorum of servers when this resolves.
   *
   * @param id with the same one the message is appended once
   * @returns its sequence in the stream
   * @throws NotStoredYet for a repetition, which the server answers with sequence 0
   */
  async append(subject: string, id: string, data: Buffer, timeoutMs: number): Promise<number> {
    const { seq } = parse<Answer & { seq: number }>(await this.#client.request(subject, data, timeoutMs, id));
    if (!(seq > 0)) throw new NotStoredYet("the message is not stored yet");
    return seq;
  }

  /** The first message of a subject at `sequence` or after it; undefined where there is none. */
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

  /** @param filter of the subjects. @returns undefined where the server does not say it */
  async subjects(filter: string): Promise<SubjectCounts | undefined> {
    const { state } = await this.#api<InfoAnswer>(`STREAM.INFO.${this.#name}`, { subjects_filter: filter });
    if (state.subjects === undefined) return undefined;
    return { lastSequence: state.last_seq, counts: new Map(Object.entries(state.subjects)) };
  }

  /** Deletes the messages of a subject, or of all, before `sequence`. */
  async purge(subject: string | undefined, sequence: number): Promise<void> {
    // A server takes 0 and 1 for everything.
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
