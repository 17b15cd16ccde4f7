import { SECOND } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/timeouts.ts";
import type { EngineOptions } from "../engine-interface.ts";
import type { Session, SessionDeps } from "./session.ts";

/** The longest that the end of a session waits for its messages in flight. */
const FINISH_MS = 5_000;
const STEPS_A_SECOND = 10;
const AT_ONCE = 500;

export interface DrainDeps extends Pick<SessionDeps, "sessions"> {
  limits: Pick<EngineOptions["limits"], "mqttDrainedPerSecond">;
  /** The address at which MQTT 5 clients should connect instead. */
  serverReference?: string | undefined;
}

/**
 * Ends every session, no more per second than another process can take over, each after its messages in flight are
 * stored and acknowledged. Sessions whose turn has not come are served as usual.
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

/** Ends every session without waiting for its messages, in portions, one per turn of the event loop. */
export function endAtOnce(deps: Pick<DrainDeps, "sessions" | "serverReference">, reason: string): void {
  const { serverReference } = deps;
  const sessions = [...deps.sessions];
  const endSome = () => {
    for (const session of sessions.splice(-AT_ONCE)) {
      if (session.version < 5 || !session.accepted) session.socket.destroy();
      session.close(reason, undefined, serverReference === undefined ? undefined : { serverReference });
    }
    if (sessions.length > 0) setImmediate(endSome);
  };
  endSome();
}

async function end(session: Session, { serverReference }: DrainDeps): Promise<void> {
  session.inbound.stop();
  if (session.inOrder) await withTimeout(session.inOrder.idle(), FINISH_MS, () => undefined);
  if (serverReference === undefined) session.close("server_stopped");
  else session.close("server_moved", undefined, { serverReference });
}
