import type { Message } from "../message.ts";
import { TopicTrie } from "../topics/topic-trie.ts";

/** The cached state of one topic. */
interface Entry {
  topic: string;
  /** The publisher of the message. */
  ownerId: string;
  /** `undefined` if there is none, or if it has not been read yet. */
  message: Message | undefined;
  version: number;
  /** The highest version that the topic is known to have. If above `version`, the message must be read again. */
  latest: number;
  /** The highest version published in this process: its subscribers have received it. */
  live: number;
  /** The time when a message from another process was delivered to the subscribers in this one. */
  arrivedMs: number;
  /** The number of change notifications. */
  changes: number;
}

/**
 * The cost of a topic and its message in addition to their bytes. Also counted once per tenant, most of which have no
 * message.
 */
const OVERHEAD = 512;

/** The cached retained messages of one tenant. Versions ensure that a message never replaces a later one. */
export class TenantRetained {
  readonly #topics = new TopicTrie<Entry>();
  readonly #ofOwner = new Map<string, Set<Entry>>();
  isLoaded = false;
  bytes = OVERHEAD;

  /** The number of topics, including those whose message must be read again. */
  get size(): number {
    return this.#topics.size;
  }

  message(topic: string): Message | undefined {
    return this.#topics.get(topic)?.message;
  }

  /** Returns the topics that `filter` matches. */
  matching(filter: string): string[] {
    return this.#topics.matchingFilter(filter).map(({ topic }) => topic);
  }

  /** Returns those of them whose message must be read again. */
  stale(filter: string): string[] {
    return this.#topics
      .matchingFilter(filter)
      .filter((entry) => isStale(entry))
      .map(({ topic }) => topic);
  }

  /**
   * Whether this process's subscribers have this version of the message or a later one. @param sinceMs by the monotonic
   * clock
   */
  isLive(topic: string, version: number, sinceMs: number): boolean {
    const entry = this.#topics.get(topic);
    return entry !== undefined && (entry.live >= version || entry.arrivedMs > sinceMs);
  }

  /** Records that a message from another process is in transit to the subscribers in this one. */
  arrived(topic: string, nowMs: number): void {
    const entry = this.#entry(topic);
    entry.arrivedMs = nowMs;
    expire(entry);
  }

  /** Records a message published in this process. */
  published(ownerId: string, message: Message, version: number): void {
    const entry = this.#entry(message.topic);
    this.#set(entry, ownerId, message, version);
    entry.live = Math.max(entry.live, version);
  }

  /** Records that this process removed a topic's message. */
  removed(topic: string): void {
    const entry = this.#entry(topic);
    this.#replace(entry, "", undefined);
    expire(entry);
  }

  /** Invalidates the messages of a publisher whose rights may have changed. */
  recheck(ownerId: string): void {
    for (const entry of this.#ofOwner.get(ownerId) ?? []) expire(entry);
  }

  /** Records the version that a topic has in the database now. @returns whether it was unknown */
  changed(topic: string, version: number): boolean {
    const entry = this.#entry(topic);
    if (version <= entry.version) return false;
    entry.latest = Math.max(entry.latest, version);
    entry.changes++;
    return true;
  }

  /** Records a message read from the database. */
  found(ownerId: string, message: Message, version: number): void {
    this.#set(this.#entry(message.topic), ownerId, message, version);
  }

  /** Returns the number of changes of these topics, for {@link wereRead}. */
  changesOf(topics: readonly string[]): Map<string, number> {
    return new Map(topics.map((topic) => [topic, this.#topics.get(topic)?.changes ?? 0]));
  }

  /** Marks topics as read. Those unchanged since `changes` was taken are current; the rest must be read again. */
  wereRead(changes: ReadonlyMap<string, number>, found: ReadonlySet<string>): void {
    for (const [topic, count] of changes) {
      const entry = this.#topics.get(topic);
      if (!entry || entry.changes !== count) continue;
      if (found.has(topic)) entry.latest = entry.version;
      else this.#delete(entry);
    }
  }

  #entry(topic: string): Entry {
    const known = this.#topics.get(topic);
    if (known) return known;
    const entry = {
      topic,
      ownerId: "",
      message: undefined,
      version: 0,
      latest: 0,
      live: 0,
      arrivedMs: -Infinity,
      changes: 0,
    };
    this.#topics.set(topic, entry);
    this.bytes += OVERHEAD + topic.length;
    return entry;
  }

  #set(entry: Entry, ownerId: string, message: Message, version: number): void {
    if (version <= entry.version) return;
    this.#replace(entry, ownerId, message);
    entry.version = version;
    if (entry.latest !== Infinity) entry.latest = Math.max(entry.latest, version);
  }

  #replace(entry: Entry, ownerId: string, message: Message | undefined): void {
    this.bytes += (message?.payload.length ?? 0) - (entry.message?.payload.length ?? 0);
    entry.message = message?.own();
    if (entry.ownerId === ownerId) return;
    const former = this.#ofOwner.get(entry.ownerId);
    former?.delete(entry);
    if (former?.size === 0) this.#ofOwner.delete(entry.ownerId);
    entry.ownerId = ownerId;
    if (ownerId === "") return;
    const own = this.#ofOwner.get(ownerId) ?? new Set();
    this.#ofOwner.set(ownerId, own.add(entry));
  }

  #delete(entry: Entry): void {
    this.#replace(entry, "", undefined);
    this.#topics.delete(entry.topic);
    this.bytes -= OVERHEAD + entry.topic.length;
  }
}

/** Makes the message of a topic stale, whatever its version. */
function expire(entry: Entry): void {
  entry.latest = Infinity;
  entry.changes++;
}

function isStale({ latest, version }: Entry): boolean {
  return latest > version;
}
