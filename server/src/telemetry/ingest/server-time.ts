/**
 * Gives every message that carries no time of its own an instant of its own: a device may publish twice within one
 * millisecond, and two readings of one metric at one instant are one row. Microseconds since 1970; the same device never
 * gets the same one twice, nor an earlier one after a later one, while `nowMs` does not step back.
 */
export interface ServerTime {
  /** The next instant of `deviceUid`: `nowMs` or, where that is given away, the microsecond after the last. */
  next(deviceUid: string, nowMs: number): number;
}

export function createServerTime(): ServerTime {
  /** The last instant given to a device; only those not yet past matter, so it stays small. */
  const last = new Map<string, number>();
  let current = 0;

  return {
    next(deviceUid, nowMs) {
      const now = nowMs * 1000;
      if (now !== current) {
        current = now;
        for (const [uid, given] of last) if (given < now) last.delete(uid);
      }
      const given = last.get(deviceUid);
      const time = given === undefined || given < now ? now : given + 1;
      last.set(deviceUid, time);
      return time;
    },
  };
}
