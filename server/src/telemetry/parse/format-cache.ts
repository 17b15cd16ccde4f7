import type { Database } from "../../db/database.ts";
import { RecentMap } from "../../lib/collections/recent-map.ts";
import { isUuid } from "../../lib/ids.ts";
import { AUTOMATIC, type Format, formatOf } from "./format.ts";
import { loadPayloadSettings, loadTypesOfDevices } from "./format-store.ts";

/** The channel for changed payload formats: the id of a device type, the uid of a device, or empty for everything. */
const CHANGED = "muster_formats";
/** Far more devices than one process serves. An evicted device is loaded again with its next message. */
const MAX_DEVICES = 200_000;
/** The maximum number of devices that one statement loads. */
const MAX_LOADED = 1_000;
/** The number of types at which the cache starts again. */
const MAX_TYPES = 10_000;

/** The format of a device type, shared by its devices. Not current once the type has changed. */
interface TypeEntry {
  format: Format;
  isCurrent: boolean;
}

/** The format of devices without a type, and of unknown devices. */
const UNTYPED: TypeEntry = { format: AUTOMATIC, isCurrent: true };

/** A message that waits for the format of its device. */
interface Waiting {
  bytes: number;
  use: (format: Format) => void;
  fail: (error: unknown) => void;
}

/**
 * A cache of the payload formats of this process's devices. A changed format applies to the messages that arrive once
 * the process has received the database's notification.
 */
export class FormatCache {
  readonly #database: Pick<Database, "db" | "listen">;
  readonly #devices = new RecentMap<string, TypeEntry>(MAX_DEVICES);
  readonly #types = new Map<string, TypeEntry>();
  /** The messages whose formats are being loaded, by device, in order of arrival. */
  readonly #waiting = new Map<string, Waiting[]>();
  #listening: Promise<unknown> | undefined;
  #loading: Promise<void> | undefined;
  /** Counts the notifications: anything loaded while one arrived may be older than it. */
  #changes = 0;

  constructor(database: Pick<Database, "db" | "listen">) {
    this.#database = database;
  }

  /**
   * Calls `use` with the format of a message's device, immediately if it is cached, and in the order of the calls per
   * device.
   *
   * @returns the result of `use`; rejects if the format cannot be loaded
   */
  with<Result>(
    { deviceUid, payload }: { readonly deviceUid: string; readonly payload: Uint8Array },
    use: (format: Format) => Promise<Result>,
  ): Promise<Result> {
    const cached = this.#devices.get(deviceUid);
    if (cached?.isCurrent) return use(cached.format);
    return new Promise((resolve, fail) => {
      const waiting = { bytes: payload.length, use: (format: Format) => void use(format).then(resolve, fail), fail };
      const others = this.#waiting.get(deviceUid);
      if (others === undefined) this.#waiting.set(deviceUid, [waiting]);
      else others.push(waiting);
      this.#loading ??= this.#loadAll();
    });
  }

  /** Returns the messages that wait for a format. */
  queue(): { messages: number; bytes: number } {
    const queue = { messages: 0, bytes: 0 };
    for (const waiting of this.#waiting.values()) {
      queue.messages += waiting.length;
      for (const { bytes } of waiting) queue.bytes += bytes;
    }
    return queue;
  }

  /** Resolves when no message waits for a format. */
  async drain(): Promise<void> {
    await this.#loading;
  }

  async #loadAll(): Promise<void> {
    // Devices that send at the same moment are loaded together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.size > 0) {
      const uids = [...this.#waiting.keys()].slice(0, MAX_LOADED);
      try {
        await this.#load(uids);
      } catch (error) {
        for (const { fail } of this.#take(uids)) fail(error);
      }
    }
    this.#loading = undefined;
  }

  async #load(uids: readonly string[]): Promise<void> {
    await this.#listen();
    if (this.#types.size >= MAX_TYPES) this.#clear();
    const { db } = this.#database;
    const before = this.#changes;
    const types = new Map((await loadTypesOfDevices(db, uids.filter(isUuid))).map(({ uid, type }) => [uid, type]));
    const entries = await this.#entriesOf(new Set([...types.values()].filter((type) => type !== null)));
    for (const uid of uids) {
      const entry = entries.get(types.get(uid) ?? "") ?? UNTYPED;
      if (this.#changes === before) this.#devices.set(uid, entry);
      for (const { use } of this.#take([uid])) use(entry.format);
    }
  }

  /** Returns the entries of these types. A single statement loads all that are missing. */
  async #entriesOf(ids: ReadonlySet<string>): Promise<Map<string, TypeEntry>> {
    const before = this.#changes;
    const found = new Map<string, TypeEntry>();
    const missing: string[] = [];
    for (const id of ids) {
      const entry = this.#types.get(id);
      if (entry === undefined) missing.push(id);
      else found.set(id, entry);
    }
    if (missing.length === 0) return found;
    for (const { id, ...settings } of await loadPayloadSettings(this.#database.db, missing)) {
      const entry = { format: formatOf(settings), isCurrent: true };
      found.set(id, entry);
      if (this.#changes === before) this.#types.set(id, entry);
    }
    return found;
  }

  #take(uids: readonly string[]): Waiting[] {
    return uids.flatMap((uid) => {
      const waiting = this.#waiting.get(uid) ?? [];
      this.#waiting.delete(uid);
      return waiting;
    });
  }

  async #listen(): Promise<void> {
    this.#listening ??= this.#database.listen(CHANGED, (id) => this.#onChange(id));
    await this.#listening.catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
  }

  #onChange(id: string): void {
    this.#changes++;
    if (id === "") this.#clear();
    this.#devices.delete(id);
    const type = this.#types.get(id);
    if (type !== undefined) type.isCurrent = false;
    this.#types.delete(id);
  }

  #clear(): void {
    this.#devices.clear();
    this.#types.clear();
  }
}
