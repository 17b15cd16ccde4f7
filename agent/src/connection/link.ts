import { type AgentError, asAgentError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Identity } from "../state/identity.ts";
import { discardCandidate, finishCommit, loadCandidate, loadIdentity, promoteCandidate } from "../state/state.ts";
import { delayMs, RECONNECT, REFUSED } from "./backoff.ts";
import { openSession, type Session } from "./session.ts";

/** Callbacks of a link. */
export interface LinkEvents {
  up(session: Session, identity: Identity): void;
  down(session: Session, reason: string): void;
  failed(error: AgentError, consecutiveRefusals: number, retryInMs: number): void;
  /** A staged certificate has connected and is now the one in use. */
  promoted(identity: Identity): void;
}

/** A session of this length resets the back-off. Shorter ones do not: another process may be taking over the same client id again and again. */
const STABLE_MS = 30_000;
/** After this many refusals in a row the cause is the device, and no longer a server that starts or has no database. */
const PATIENT_REFUSALS = 3;

/**
 * Keeps one session open: connects, waits for its end, backs off and connects again, until stopped. Each attempt reads the state folder,
 * so that it uses a certificate that another process has renewed or installed.
 */
export class Link {
  readonly #stateDir: string;
  readonly #runtime: Runtime;
  readonly #events: LinkEvents;
  readonly #stopping = new AbortController();
  /** Ends the pause between attempts when a renewal has connected. */
  #wake = new AbortController();
  #session: Session | undefined;
  #replacing: Promise<void> | undefined;
  #failures = 0;
  #refusals = 0;
  #candidateRefused = false;
  #loop: Promise<void> | undefined;

  constructor(stateDir: string, runtime: Runtime, events: LinkEvents) {
    this.#stateDir = stateDir;
    this.#runtime = runtime;
    this.#events = events;
  }

  get connected(): boolean {
    return this.#session !== undefined;
  }

  /** Starts to keep a session open; does nothing when already started. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends the session and every attempt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end();
    await this.#loop;
  }

  /** Connects with `identity`; that session takes over the present one (spec 4.10). Rejects when it cannot connect. */
  async replace(identity: Identity): Promise<void> {
    const replacing = openSession(identity, this.#stopping.signal).then((session) => {
      const old = this.#session;
      this.#adopt(session, identity);
      // Brokers close the session that was taken over; this is for one that does not.
      return old?.end();
    });
    this.#replacing = replacing.catch(() => {});
    try {
      await replacing;
    } finally {
      this.#replacing = undefined;
    }
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
    const reason = await session.closed;
    // While a renewal takes over, the broker closes the old session before the new one is adopted.
    await this.#replacing;
    if (this.#session !== session) return;
    this.#session = undefined;
    if (this.#runtime.monotonicMs() - since >= STABLE_MS) this.#failures = 0;
    this.#events.down(session, reason);
    if (!this.#stopping.signal.aborted) await this.#pause(delayMs(RECONNECT, this.#failures++, this.#runtime.random()));
  }

  async #attempt(): Promise<void> {
    try {
      await finishCommit(this.#stateDir);
      const current = await loadIdentity(this.#stateDir);
      const candidate = await loadCandidate(this.#stateDir);
      const useCandidate = candidate !== undefined && !this.#candidateRefused;
      const identity = useCandidate ? candidate : current;
      try {
        const session = await openSession(identity, this.#stopping.signal);
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
    this.#refusals = 0;
    this.#wake.abort();
    this.#events.up(session, identity);
  }

  async #failed(error: AgentError): Promise<void> {
    this.#refusals = error.code === "refused" ? this.#refusals + 1 : 0;
    const beyond = this.#refusals - PATIENT_REFUSALS;
    const random = this.#runtime.random();
    const wait = beyond >= 0 ? delayMs(REFUSED, beyond, random) : delayMs(RECONNECT, this.#failures, random);
    this.#failures += 1;
    this.#events.failed(error, this.#refusals, wait);
    await this.#pause(wait);
  }

  /** Sleeps for `ms`, or until a renewal has connected. */
  async #pause(ms: number): Promise<void> {
    this.#wake = new AbortController();
    await this.#runtime.sleep(ms, AbortSignal.any([this.#stopping.signal, this.#wake.signal]));
    await this.#replacing;
  }
}
