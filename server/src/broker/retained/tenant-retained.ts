import type { Message } from "../routing/message.ts";
import { TopicTrie } from "../routing/topic-trie.ts";

/** What is known of one topic. */
interface Entry {
  topic: string;
  /** Who published the message. */
  ownerId: string;
  /** `undefined` where there is none, or where it was not read yet. */
  message: Message | undefined;
  version: number;
  /** The greatest version that the topic is known to have. Above `version`, the message must be read again. */
  latest: number;
  /** The greatest version that was published in this process: its subscribers have it. */
  live: number;
  /** When a message of another process was delivered to the subscribers in this one. */
  arrivedMs: number;
  /** How often it was said to have changed. */
  changes: number;
}

/** What a topic and its message cost beside their bytes. Kept small: most tenants have none. */
const OVERHEAD = 512;

/** The retained messages of one tenant, in memory. Versions decide, so a message never takes the place of a later one. */
export class TenantRetained {
  readonly #topics = new TopicTrie<Entry>();
  readonly #ofOwner = new Map<string, Set<Entry>>();
  isLoaded = false;
  bytes = OVERHEAD;

  /** Topics, also those without a message that must be read again. */
  get size(): number {
    return this.#topics.size;
  }

  message(topic: string): Message | undefined {
    return this.#topics.get(topic)?.message;
  }

  /** The topics that `filter` matches. */
  matching(filter: string): string[] {
    return this.#topics.matchingFilter(filter).map(({ topic }) => topic);
  }

  /** Those of them whose message must be read again. */
  stale(filter: string): string[] {
    return this.#topics
      .matchingFilter(filter)
      .filter((entry) => isStale(entry))
      .map(({ topic }) => topic);
  }

  /** Whether the subscribers in this process have this version of the message, or a later one. @param sinceMs by the monotonic clock */
  isLive(topic: string, version: number, sinceMs: number): boolean {
    const entry = this.#topics.get(topic);
    return entry !== undefined && (entry.live >= version || entry.arrivedMs > sinceMs);
  }

  /** A message of another process is on its way to the subscribers in this one. */
  arrived(topic: string, nowMs: number): void {
    const entry = this.#entry(topic);
    entry.arrivedMs = nowMs;
    expire(entry);
  }

  /** A message was published in this process. */
  published(ownerId: string, message: Message, version: number): void {
    const entry = this.#entry(message.topic);
    this.#set(entry, ownerId, message, version);
    entry.live = Math.max(entry.live, version);
  }

  /** The message of a topic was removed by this process. */
  removed(topic: string): void {
    const entry = this.#entry(topic);
    this.#replace(entry, "", undefined);
    expire(entry);
  }

  /** The rights of who published messages may have changed. */
  recheck(ownerId: string): void {
    for (const entry of this.#ofOwner.get(ownerId) ?? []) expire(entry);
  }

  /** The database says that a topic has this version now. @returns whether that was unknown */
  changed(topic: string, version: number): boolean {
    const entry = this.#entry(topic);
    if (version <= entry.version) return false;
    entry.latest = Math.max(entry.latest, version);
    entry.changes++;
    return true;
  }

  /** A message was read from the database. */
  found(ownerId: string, message: Message, version: number): void {
    this.#set(this.#entry(message.topic), ownerId, message, version);
  }

  /** How often these topics were said to have changed, for {@link wereRead}. */
  changesOf(topics: readonly string[]): Map<string, number> {
    return new Map(topics.map((topic) => [topic, this.#topics.get(topic)?.changes ?? 0]));
  }

  /** Topics were read, after `changes` was taken: those that have not changed since are as they were found, and the rest is read again. */
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

/** Has the message of a topic read again, whatever its version. */
function expire(entry: Entry): void {
  entry.latest = Infinity;
  entry.changes++;
}

function isStale({ latest, version }: Entry): boolean {
  return latest > version;
}
