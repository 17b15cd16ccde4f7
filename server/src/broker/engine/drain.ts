import { SECOND } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import type { EngineOptions } from "../engine.ts";
import type { Session, SessionDeps } from "./session.ts";

/** How long the end of a session waits for its messages under way. */
const SETTLE_MS = 5_000;
const STEPS_A_SECOND = 10;

export interface DrainDeps extends Pick<SessionDeps, "sessions"> {
  limits: Pick<EngineOptions["limits"], "mqttDrainedPerSecond">;
  /** Where clients of MQTT 5 connect instead. */
  serverReference?: string | undefined;
}

/**
 * Ends every session: no more of them a second than another process can take, each after its messages under way are stored and
 * acknowledged. Those whose turn has not come are served as before.
 */
export async function drain(deps: DrainDeps): Promise<void> {
  const sessions = [...deps.sessions];
  const { mqttDrainedPerSecond } = deps.limits;
  const aStep = Math.ceil(mqttDrainedPerSecond / STEPS_A_SECOND);
  const stepMs = (aStep / mqttDrainedPerSecond) * SECOND;
  const ended: Promise<void>[] = [];
  for (let first = 0; first < sessions.length; first += aStep) {
    if (first > 0) await new Promise((resolve) => setTimeout(resolve, stepMs));
    for (const session of sessions.slice(first, first + aStep)) ended.push(end(session, deps));
  }
  await Promise.all(ended);
}

async function end(session: Session, { serverReference }: DrainDeps): Promise<void> {
  session.inbound.stop();
  if (session.inOrder) await withTimeout(session.inOrder.idle(), SETTLE_MS, () => undefined);
  if (serverReference === undefined) session.close("server_stopped");
  else session.close("server_moved", undefined, { serverReference });
}
