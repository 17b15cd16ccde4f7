import { useSyncExternalStore } from "react";
import { t } from "#texts/ui.ts";
import { describeDistance, localTime, utcTime } from "./format.ts";
import "./time.css";

interface TimeProps {
  /** ISO 8601. */
  at: string | null | undefined;
  /** Shown for an absent time. */
  none?: string;
}

/** An instant in local time, and in UTC on hover and focus. */
export function Time({ at, none = "–" }: TimeProps) {
  if (!at) return <span className="soft">{none}</span>;
  return <Instant at={at} text={localTime(at)} />;
}

/** The distance of an instant from now, and the instant itself on hover and focus. */
export function Ago({ at, none = t.never }: TimeProps) {
  const now = useNow();
  if (!at) return <span className="soft">{none}</span>;
  return <Instant at={at} text={describeDistance(Date.parse(at) - now)} local />;
}

function Instant({ at, text, local }: { at: string; text: string; local?: boolean }) {
  const hint = local ? `${localTime(at)}\n${utcTime(at)}` : utcTime(at);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what hovering shows
    <time className="time" dateTime={at} data-hint={hint} tabIndex={0}>
      {text}
    </time>
  );
}

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    current = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  current = Date.now();
  for (const listener of listeners) listener();
}

/** Returns the current time in milliseconds, updated once per second for all components. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => current);
}
