import type { ConnectGate } from "../connect-gate.ts";
import type { EngineOptions } from "../engine-interface.ts";
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

/** The parts that all sessions of an engine share. */
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
  /** Wills that are being published; messages from their clients' next connections come after them. */
  wills: PendingByOwner;
  /**
   * Publishes the wills left by a client's earlier connections. @param mayEnd whether the last connection's process may
   * still be storing its end
   */
  publishEarlierWills(ownerId: string, sessionId: string, mayEnd: boolean): Promise<void>;
  /** Makes another process end a replaced session, without the database. */
  replaceElsewhere(sessionId: string): void;
  turns: TurnWriter;
  wheel: TimerWheel;
  listener: Pick<Listener, "authenticated">;
}
