import { throwIfEnded } from "../load/interrupt.ts";
import { sleep } from "../load/measure.ts";

/** Polls until `isSo` returns true. @returns false after `seconds`. @throws Error once a signal has ended the run */
export async function untilSo(seconds: number, isSo: () => Promise<boolean>, pollMs = 50): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    throwIfEnded();
    if (await isSo()) return true;
    if (performance.now() > end) return false;
    await sleep(pollMs);
  }
}
