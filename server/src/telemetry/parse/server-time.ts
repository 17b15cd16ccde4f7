/**
 * Assigns unique times, in microseconds since 1970, to messages without a time of their own. A device may publish twice
 * within a millisecond, and two readings of one metric at the same time would become one row. The times of a device
 * increase as long as `nowMs` does not step back.
 */
export interface ServerTime {
  /** Returns the next time of `deviceUid`: `nowMs`, or the microsecond after its last time if `nowMs` is taken. */
  next(deviceUid: string, nowMs: number): number;
  /** Reserves `count` times for a message that is parsed later. */
  reserve(deviceUid: string, nowMs: number, count: number): Pick<ServerTime, "next">;
}

export function createServerTime(): ServerTime {
  /** Maps devices to their last time. Only times since `nowMs` are needed, so the map stays small. */
  const last = new Map<string, number>();
  let current = 0;

  function take(deviceUid: string, nowMs: number, count: number): number {
    const now = nowMs * 1000;
    if (now !== current) {
      current = now;
      for (const [uid, time] of last) if (time < now) last.delete(uid);
    }
    const previous = last.get(deviceUid);
    const time = previous === undefined || previous < now ? now : previous + 1;
    last.set(deviceUid, time + count - 1);
    return time;
  }

  return {
    next: (deviceUid, nowMs) => take(deviceUid, nowMs, 1),
    reserve(deviceUid, nowMs, count) {
      return reservedTimes(take(deviceUid, nowMs, count));
    },
  };
}

/** Returns the times from `first` on, which were reserved for one message. */
export function reservedTimes(first: number): ServerTime {
  let time = first;
  const times: ServerTime = { next: () => time++, reserve: () => times };
  return times;
}
