import { throwIfEnded } from "../../load/interrupt.ts";
import { sleep } from "../../load/measure.ts";
import { nowMs } from "../load/protocol.ts";

const POLL_MS = 200;

/** Polls until it is so. @returns false when it is not within `seconds`. @throws Error once a signal has ended the run */
export async function untilSo(seconds: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const end = nowMs() + seconds * 1000;
  for (;;) {
    throwIfEnded();
    if (await isSo()) return true;
    if (nowMs() > end) return false;
    await sleep(POLL_MS);
  }
}
