/**
 * Gives messages without a time of their own unique times, in microseconds since 1970: a device may publish twice within one
 * millisecond, and two readings of one metric with the same time would be one row. Times of one device increase as long as
 * `nowMs` does not step back.
 */
export interface ServerTime {
  /** The next time of `deviceUid`: `nowMs`, or the microsecond after its last time when `nowMs` is used already. */
  next(deviceUid: string, nowMs: number): number;
}

export function createServerTime(): ServerTime {
  /** Device → its last time. Only times from `nowMs` on are needed, so the map stays small. */
  const last = new Map<string, number>();
  let current = 0;

  return {
    next(deviceUid, nowMs) {
      const now = nowMs * 1000;
      if (now !== current) {
        current = now;
        for (const [uid, time] of last) if (time < now) last.delete(uid);
      }
      const previous = last.get(deviceUid);
      const time = previous === undefined || previous < now ? now : previous + 1;
      last.set(deviceUid, time);
      return time;
    },
  };
}
