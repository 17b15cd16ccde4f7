import type { DropTarget, Principal } from "./policy.ts";

/** A connection as the registry sees it. */
export interface RegisteredSession {
  readonly sessionId: string;
  readonly clientId: string;
  /** Closes it for good; resolves when it is closed and nothing of it is under way. Idempotent. */
  end(reason: string): Promise<void>;
  /** Whether its CONNECT was answered with yes. */
  readonly accepted: boolean;
}

/** Marks are only looked up by sessions that began before them; old ones are forgotten beyond this number. */
const MANY_MARKS = 10_000;

/**
 * The sessions of this process. A session is entered before its certificate is looked up, and every drop leaves a mark,
 * which is looked at again once the session is admitted: a revocation that falls between the look-up and the admission is
 * therefore seen by the one or by the other. (aedes' own `broker.clients` is not used: a newcomer that dies early
 * replaces a live session's entry there.)
 */
export class SessionRegistry {
  readonly #byKey = new Map<string, Set<RegisteredSession>>();
  readonly #keysOf = new Map<RegisteredSession, readonly string[]>();
  /** Sessions being judged → how many drops there had been when they began. */
  readonly #pending = new Map<RegisteredSession, number>();
  /** Target → the number of its last drop. */
  readonly #marks = new Map<string, { number: number; reason: string }>();
  #drops = 0;

  get size(): number {
    return this.#keysOf.size;
  }

  /** Enters a session, before anything about it is read from the database. */
  begin(session: RegisteredSession): void {
    this.#pending.set(session, this.#drops);
  }

  /** Makes a judged session findable for drops. @returns why it must go, when a drop fell in between */
  admit(session: RegisteredSession, principal: Principal): string | undefined {
    const since = this.#pending.get(session) ?? 0;
    this.#pending.delete(session);
    const keys = [...keysOf(principal), key("sessionId", session.sessionId)];
    for (const each of keys) {
      const mark = this.#marks.get(each);
      if (mark && mark.number > since) return mark.reason;
    }
    keys.push(key("clientId", session.clientId));
    this.#keysOf.set(session, keys);
    for (const each of keys) {
      const set = this.#byKey.get(each);
      if (set) set.add(session);
      else this.#byKey.set(each, new Set([session]));
    }
    return undefined;
  }

  remove(session: RegisteredSession): void {
    this.#pending.delete(session);
    for (const each of this.#keysOf.get(session) ?? []) {
      const set = this.#byKey.get(each)!;
      set.delete(session);
      if (set.size === 0) this.#byKey.delete(each);
    }
    this.#keysOf.delete(session);
  }

  /** Ends what the target has, and whatever is being judged now and turns out to be the target's. */
  async drop(target: DropTarget, reason: string): Promise<void> {
    const [[field, id]] = Object.entries(target) as [[string, string]];
    const which = key(field, id);
    this.#marks.delete(which);
    this.#marks.set(which, { number: ++this.#drops, reason });
    this.#forgetOldMarks();
    await Promise.all([...(this.#byKey.get(which) ?? [])].map((session) => session.end(reason)));
  }

  /** The client's accepted session; while a takeover is under way, the newest. */
  of(clientId: string): RegisteredSession | undefined {
    return [...(this.#byKey.get(key("clientId", clientId)) ?? [])].findLast((session) => session.accepted);
  }

  all(): RegisteredSession[] {
    return [...this.#keysOf.keys()];
  }

  #forgetOldMarks(): void {
    if (this.#marks.size <= MANY_MARKS) return;
    const oldest = Math.min(this.#drops, ...this.#pending.values());
    // Oldest first, as they were set.
    for (const [which, { number }] of this.#marks) {
      if (number > oldest) return;
      this.#marks.delete(which);
    }
  }
}

function keysOf(principal: Principal): string[] {
  const keys: string[] = [];
  for (const field of ["certificateId", "deviceUid", "mqttClientId"] as const) {
    const id = principal[field];
    if (id !== undefined) keys.push(key(field, id));
  }
  return keys;
}

function key(field: string, id: string): string {
  return `${field} ${id}`;
}
