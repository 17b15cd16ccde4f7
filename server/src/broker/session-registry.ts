import type { DropTarget } from "../connections/connections.ts";
import type { Principal } from "./policy/policy.ts";

/** A session as the registry sees it. */
export interface RegisteredSession {
  readonly sessionId: string;
  /** Closes the session; resolves once it is closed and none of its messages is in flight. Idempotent. */
  end(reason: string): Promise<void>;
  /** Checks for pending commands for the session's device. */
  deliverCommands(): void;
}

/**
 * The limit on replaced sessions that wait for their drop. Beyond it the oldest is forgotten: its drop was lost.
 */
const MAX_REPLACED = 10_000;
/**
 * The number of recorded drops beyond which those that no admission needs are deleted: drops older than every session
 * being authorized.
 */
const MAX_RECORDED_DROPS = 10_000;

/**
 * The sessions of this process. A session is registered before its certificate is read from the database, and every
 * drop is recorded. Admission refuses a session that was dropped after it was registered, so no revocation is missed.
 */
export class SessionRegistry {
  readonly #byKey = new Map<string, Set<RegisteredSession>>();
  readonly #admitted = new Map<
    RegisteredSession,
    { readonly keys: readonly string[]; readonly principal: Principal }
  >();
  /** The number of devices and MQTT clients with a session here, open or being opened, by tenant. */
  readonly #clients = new Map<string, number>();
  /** Sessions whose CONNECT is being authorized, each with the number of drops at its registration. */
  readonly #pending = new Map<RegisteredSession, number>();
  /** The last drop of each target, oldest first. */
  readonly #drops = new Map<string, { number: number; reason: string }>();
  #dropCount = 0;
  /** Sessions that ended because another process announced their replacement, and whose drop has not arrived yet. */
  readonly #replaced = new Map<string, Principal>();

  /** Registers a session before anything about it is read from the database. */
  register(session: RegisteredSession): void {
    this.#pending.set(session, this.#dropCount);
  }

  /**
   * Makes an authorized session visible to drops. @returns why it must end, if it was dropped since its registration
   */
  admit(session: RegisteredSession, principal: Principal): string | undefined {
    const since = this.#pending.get(session) ?? 0;
    this.#pending.delete(session);
    const keys = [...keysOf(principal), key("sessionId", session.sessionId)];
    for (const each of keys) {
      const drop = this.#drops.get(each);
      if (drop && drop.number > since) return drop.reason;
    }
    if (!this.hasSessionOf(principal)) this.#count(principal.tenantId, 1);
    this.#admitted.set(session, { keys, principal });
    for (const each of keys) {
      const set = this.#byKey.get(each);
      if (set) set.add(session);
      else this.#byKey.set(each, new Set([session]));
    }
    return undefined;
  }

  /** Returns whether the device or MQTT client has a session here, which a new one replaces. */
  hasSessionOf({ deviceUid, mqttClientId }: Principal): boolean {
    return this.#byKey.has(deviceUid === undefined ? key("mqttClientId", mqttClientId!) : key("deviceUid", deviceUid));
  }

  /** Returns how many devices and MQTT clients of a tenant have a session here, open or being opened. */
  clientsOf(tenantId: string): number {
    return this.#clients.get(tenantId) ?? 0;
  }

  remove(session: RegisteredSession): void {
    this.#pending.delete(session);
    const admitted = this.#admitted.get(session);
    if (!admitted) return;
    this.#admitted.delete(session);
    for (const each of admitted.keys) {
      const set = this.#byKey.get(each)!;
      set.delete(session);
      if (set.size === 0) this.#byKey.delete(each);
    }
    if (!this.hasSessionOf(admitted.principal)) this.#count(admitted.principal.tenantId, -1);
  }

  #count(tenantId: string, more: 1 | -1): void {
    const clients = this.clientsOf(tenantId) + more;
    if (clients === 0) this.#clients.delete(tenantId);
    else this.#clients.set(tenantId, clients);
  }

  /** Ends a session that another process has replaced, ahead of its drop. */
  async replace(sessionId: string): Promise<void> {
    const [session] = this.#byKey.get(key("sessionId", sessionId)) ?? [];
    if (session) this.#replaced.set(sessionId, this.#admitted.get(session)!.principal);
    if (this.#replaced.size > MAX_REPLACED) this.#replaced.delete(this.#replaced.keys().next().value!);
    await this.#end(key("sessionId", sessionId), "takeover");
  }

  /**
   * Ends the target's sessions; a session being authorized is refused at its admission.
   *
   * @returns the principals whose sessions are open, or were when they were replaced
   */
  async drop(target: DropTarget, reason: string): Promise<Principal[]> {
    const [[field, id]] = Object.entries(target) as [[string, string]];
    const replaced = field === "sessionId" ? this.#replaced.get(id) : undefined;
    this.#replaced.delete(id);
    const open = await this.#end(key(field, id), reason);
    return replaced ? [replaced] : open;
  }

  async #end(dropped: string, reason: string): Promise<Principal[]> {
    this.#drops.delete(dropped);
    this.#drops.set(dropped, { number: ++this.#dropCount, reason });
    this.#deleteOldDrops();
    const sessions = [...(this.#byKey.get(dropped) ?? [])];
    const principals = sessions.map((session) => this.#admitted.get(session)!.principal);
    await Promise.all(sessions.map((session) => session.end(reason)));
    return principals;
  }

  /** Makes the sessions of this device check for pending commands. */
  deliverCommands(deviceUid: string): void {
    for (const session of this.#byKey.get(key("deviceUid", deviceUid)) ?? []) session.deliverCommands();
  }

  #deleteOldDrops(): void {
    if (this.#drops.size <= MAX_RECORDED_DROPS) return;
    const oldest = Math.min(this.#dropCount, ...this.#pending.values());
    for (const [target, { number }] of this.#drops) {
      if (number > oldest) return;
      this.#drops.delete(target);
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
