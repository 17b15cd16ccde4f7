import type { ConnectGate } from "../connect-gate.ts";
import type { EngineOptions } from "../engine.ts";
import type { InboundBudget } from "../inbound-budget.ts";
import type { Listener } from "../listener.ts";
import type { OutgoingBudget } from "../outgoing-budget.ts";
import type { Retained } from "../retained/retained.ts";
import type { Router } from "../routing/router.ts";
import type { SessionRegistry } from "../session-registry.ts";
import type { PendingByOwner } from "../sessions/pending-by-owner.ts";
import type { PersistenceParts } from "../sessions/persistence.ts";
import type { TimerWheel } from "../timer-wheel.ts";
import type { Turnstile } from "../turnstile.ts";
import type { TurnWriter } from "./turn-writer.ts";

/** What all sessions of an engine share. */
export interface EngineParts extends Pick<EngineOptions, "policy" | "clientIds" | "limits" | "clock" | "logger"> {
  leaseTerm(): number | undefined;
  persistence: PersistenceParts;
  registry: SessionRegistry;
  inbound: InboundBudget;
  outgoing: OutgoingBudget;
  gate: ConnectGate;
  connecting: Turnstile;
  router: Router;
  retained: Retained;
  /** Wills that are being published: what their clients send from the next connection comes after them. */
  wills: PendingByOwner;
  /** Publishes what earlier connections of a client have left as their will. @param mayEnd the last one's process may be storing its end */
  publishEarlierWills(ownerId: string, sessionId: string, mayEnd: boolean): Promise<void>;
  /** Has another process end a session that was replaced, without the database. */
  replaceElsewhere(sessionId: string): void;
  turns: TurnWriter;
  wheel: TimerWheel;
  listener: Pick<Listener, "authenticated">;
}
