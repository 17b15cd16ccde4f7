import { AgentError, asAgentError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Identity } from "../state/identity.ts";
import { discardCandidate, finishCommit, loadCandidate, loadIdentity, promoteCandidate } from "../state/state.ts";
import { Pauses } from "./pauses.ts";
import { ADMINISTRATIVE, type MqttVersion, NOT_AUTHORIZED } from "./reasons.ts";
import { Referral } from "./referral.ts";
import { openSession, type Session, type SessionEnd, type Subscriptions } from "./session.ts";

/** Callbacks of a link. */
export interface LinkEvents {
  up(session: Session, identity: Identity): void;
  down(session: Session, end: SessionEnd): void;
  failed(error: AgentError, consecutiveRefusals: number, retryInMs: number): void;
  /** Called when an administrator has ended the session and the broker no longer accepts the device. */
  revoked(error: AgentError): void;
  /** Called when the broker has referred to this server, to which the next attempt goes. */
  referred(server: string): void;
  /** Called when the broker does not speak MQTT 5; this and later sessions use MQTT 3.1.1. */
  fellBack(): void;
  /** Called when a staged certificate has connected and is now in use. */
  promoted(identity: Identity): void;
}

/** Options of a link's connections. */
export interface LinkOptions {
  mqttVersion: MqttVersion | "auto";
  subscriptions: Subscriptions | undefined;
}

/**
 * Keeps one session open: connects, waits for its end, backs off and connects again, until stopped. Each attempt reads
 * the state folder, so that it uses a certificate that another process has renewed or installed.
 */
export class Link {
  readonly #stateDir: string;
  readonly #runtime: Runtime;
  readonly #events: LinkEvents;
  readonly #options: LinkOptions;
  readonly #pauses: Pauses;
  readonly #referral = new Referral();
  readonly #stopping = new AbortController();
  /** Ends the pause between attempts when a renewal has connected. */
  #wake = new AbortController();
  #session: Session | undefined;
  #replacing: Promise<void> | undefined;
  #candidateRefused = false;
  #endedByAdministrator = false;
  #loop: Promise<void> | undefined;

  constructor(stateDir: string, runtime: Runtime, options: LinkOptions, events: LinkEvents) {
    this.#stateDir = stateDir;
    this.#runtime = runtime;
    this.#options = { ...options };
    this.#events = events;
    this.#pauses = new Pauses(() => runtime.random());
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }

  /** Starts keeping a session open; does nothing if already started. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends the session and all attempts. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end();
    await this.#loop;
  }

  /** Connects with `identity`; the new session takes over the present one (spec 4.10). Rejects if it cannot connect. */
  async replace(identity: Identity): Promise<void> {
    const replacing = this.#open(identity).then((session) => {
      const old = this.#session;
      this.#adopt(session, identity);
      // Brokers close the session that was taken over; this covers one that does not.
      return old?.end();
    });
    this.#replacing = replacing.catch(() => {});
    try {
      await replacing;
    } finally {
      this.#replacing = undefined;
    }
  }

  async #open(identity: Identity): Promise<Session> {
    const address = this.#referral.take();
    const session = await openSession(identity, { ...this.#options, address, signal: this.#stopping.signal });
    if (session.version === "3.1.1" && this.#options.mqttVersion === "auto") {
      this.#options.mqttVersion = "3.1.1";
      this.#events.fellBack();
    }
    return session;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (this.#session === undefined) await this.#attempt();
      const session = this.#session;
      if (session !== undefined) await this.#untilClosed(session);
    }
  }

  async #untilClosed(session: Session): Promise<void> {
    const since = this.#runtime.monotonicMs();
    const end = await session.closed;
    // While a renewal takes over, the broker closes the old session before the new one is adopted.
    await this.#replacing;
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#endedByAdministrator = end.code === ADMINISTRATIVE;
    const pause = this.#pauses.afterSession(end, this.#runtime.monotonicMs() - since);
    this.#events.down(session, end);
    if (this.#stopping.signal.aborted) return;
    this.#refer(end.serverReference);
    await this.#pause(pause);
  }

  async #attempt(): Promise<void> {
    try {
      await finishCommit(this.#stateDir);
      const current = await loadIdentity(this.#stateDir);
      const candidate = await loadCandidate(this.#stateDir);
      const useCandidate = candidate !== undefined && !this.#candidateRefused;
      const identity = useCandidate ? candidate : current;
      try {
        const session = await this.#open(identity);
        if (this.#stopping.signal.aborted) return await session.end();
        this.#adopt(session, identity);
      } catch (error) {
        if (candidate !== undefined && asAgentError(error).code === "refused") this.#candidateRefused = useCandidate;
        throw error;
      }
      if (useCandidate) {
        await promoteCandidate(this.#stateDir);
        this.#events.promoted(await loadIdentity(this.#stateDir));
      } else if (candidate !== undefined) {
        await discardCandidate(this.#stateDir);
      }
      this.#candidateRefused = false;
    } catch (thrown) {
      if (!this.#stopping.signal.aborted) await this.#failed(asAgentError(thrown));
    }
  }

  #adopt(session: Session, identity: Identity): void {
    this.#session = session;
    this.#pauses.accepted();
    this.#endedByAdministrator = false;
    this.#wake.abort();
    this.#events.up(session, identity);
  }

  async #failed(error: AgentError): Promise<void> {
    const wait = this.#pauses.afterFailure(error);
    this.#events.failed(error, this.#pauses.refusals, wait);
    if (this.#endedByAdministrator && error.reasonCode === NOT_AUTHORIZED) {
      this.#endedByAdministrator = false;
      this.#events.revoked(revocation(error));
    }
    this.#refer(error.serverReference);
    await this.#pause(wait);
  }

  #refer(reference: string | undefined): void {
    const server = this.#referral.follow(reference);
    if (server !== undefined) this.#events.referred(server);
  }

  /** Sleeps for `ms`, or until a renewal has connected. */
  async #pause(ms: number): Promise<void> {
    this.#wake = new AbortController();
    await this.#runtime.sleep(ms, AbortSignal.any([this.#stopping.signal, this.#wake.signal]));
    await this.#replacing;
  }
}

function revocation(cause: AgentError): AgentError {
  const message = "An administrator has ended this device's session, and the broker no longer accepts it.";
  return new AgentError("revoked", message, { cause, reasonCode: NOT_AUTHORIZED });
}
