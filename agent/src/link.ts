import { delayMs, RECONNECT, REFUSED } from "./backoff.ts";
import { type AgentError, asAgentError } from "./errors.ts";
import type { Identity } from "./identity.ts";
import type { Runtime } from "./runtime.ts";
import { openSession, type Session } from "./session.ts";
import { discardCandidate, finishCommit, loadCandidate, loadIdentity, promoteCandidate } from "./state/state.ts";

/** What a link tells its owner. */
export interface LinkEvents {
  up(session: Session, identity: Identity): void;
  down(session: Session, reason: string): void;
  failed(error: AgentError, consecutiveRefusals: number, retryInMs: number): void;
  /** A renewed certificate that was waiting has connected and is now the one in use. */
  promoted(identity: Identity): void;
}

/** A session that lasted this long ends a run of failures; a shorter one may be a fight over the client id. */
const STABLE_MS = 30_000;
/** Refusals that may still be a server starting up or without its database; after them it is about us. */
const PATIENT_REFUSALS = 3;

/**
 * Keeps one session open: connects, waits for its end, backs off, connects again, until stopped. The state folder is
 * read again for each attempt, so a certificate renewed or installed by another process is picked up.
 */
export class Link {
  readonly #stateDir: string;
  readonly #runtime: Runtime;
  readonly #events: LinkEvents;
  readonly #stopping = new AbortController();
  /** Aborts the pause between attempts when a renewal has connected meanwhile. */
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

  /** Starts keeping the link up; does nothing when started. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends the session and every attempt. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end();
    await this.#loop;
  }

  /** Connects with `identity` and lets that session take over the present one (spec 4.10). Rejects if it cannot. */
  async replace(identity: Identity): Promise<void> {
    const replacing = openSession(identity, this.#stopping.signal).then((session) => {
      const old = this.#session;
      this.#adopt(session, identity);
      // The broker closes it as taken over; this is for one that does not.
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
      if (session !== undefined) await this.#watch(session);
    }
  }

  async #watch(session: Session): Promise<void> {
    const since = this.#runtime.monotonicMs();
    const reason = await session.closed;
    // While a renewal is taking over, the broker closes the old session before the new one is ours.
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

  /** Sleeps, unless a renewal connects meanwhile. */
  async #pause(ms: number): Promise<void> {
    this.#wake = new AbortController();
    await this.#runtime.sleep(ms, AbortSignal.any([this.#stopping.signal, this.#wake.signal]));
    await this.#replacing;
  }
}
