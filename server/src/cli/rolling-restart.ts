import { setTimeout as pause } from "node:timers/promises";
import { type ControlAnswer, sendSubcommand } from "../control/client.ts";
import { SECOND, systemClock } from "../lib/clock.ts";

/** A new process for the jobs takes about 3 s to start; the previous one may take 15 s to finish its work. */
const SUCCESSOR_MS = 60 * SECOND;
const POLL_MS = 50;

/**
 * Restarts the processes of a service one at a time. The process that answers is replaced last, after its answer.
 * Resolves when its successor answers, so that the next command finds it, or with a problem after `waitMs`.
 *
 * @throws NotRunningError
 */
export async function rollingRestart(dataDir: string, waitMs = SUCCESSOR_MS): Promise<ControlAnswer> {
  const pid = await answeringPid(dataDir);
  const answer = await sendSubcommand(dataDir, "restart", {});
  if (!answer.ok || (await isSucceeded(dataDir, pid, waitMs))) return answer;
  const message = `The workers were replaced, but the new process for the jobs did not answer within ${waitMs / SECOND} s. The service's log gives the reason; muster doctor answers once the process is running.`;
  return { ok: false, problem: { error: "restart_unfinished", message } };
}

/** Reports whether a process other than `pid` answers within `waitMs`. */
async function isSucceeded(dataDir: string, pid: number | undefined, waitMs: number): Promise<boolean> {
  const untilMs = systemClock.monotonicMs() + waitMs;
  for (;;) {
    // Between the two processes none answers, and a process that is ending may break off.
    const found = await answeringPid(dataDir).catch(() => undefined);
    if (found !== undefined && found !== pid) return true;
    if (systemClock.monotonicMs() >= untilMs) return false;
    await pause(POLL_MS);
  }
}

async function answeringPid(dataDir: string): Promise<number | undefined> {
  const answer = await sendSubcommand(dataDir, "process", {});
  return answer.ok ? Number(answer.result.pid) : undefined;
}
