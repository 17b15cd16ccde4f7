import { useEffect, useReducer, useRef } from "react";
import type { Span } from "../../ui/chart/gaps.ts";
import { useUrlState } from "../url-state.ts";
import { addressOf, atLeast, type Preset, spanOf } from "./time-range.ts";

/** A range that ends now is read again in this interval, but no more often than its points are apart. */
const REFRESH_MS = 60_000;
const POINTS = 500;

/** The range of time of all charts of a screen. It is in the address: `range` for a preset, or `from` and `to`. */
export interface TimeRange {
  span: Span;
  /** Absent if the address has `from` and `to`, or the screen has a range of its own. */
  preset: Preset | undefined;
  /** Set if the address has `from` and `to`. */
  isFixed: boolean;
  /** Both are steps of the browser's history. */
  choose: (preset: Preset | undefined) => void;
  show: (span: Span) => void;
}

/**
 * Returns the range of the address.
 * @param otherwise the presets of a screen, the first for an address without a range; or the range of the screen
 */
export function useTimeRange(otherwise: readonly Preset[] | Span): TimeRange {
  const [values, change] = useUrlState();
  const presets = "from" in otherwise ? [] : otherwise;
  const fixed = spanOf(values);
  const preset = fixed ? undefined : (presets.find(({ name }) => name === values.range) ?? presets[0]);
  const now = useSteppingNow(preset);
  return {
    span: fixed ?? ("from" in otherwise ? otherwise : { from: now - (preset?.ms ?? 0), to: now }),
    preset,
    isFixed: fixed !== undefined,
    choose: (chosen) => {
      const range = chosen === presets[0] ? undefined : chosen?.name;
      change({ range, from: undefined, to: undefined }, { step: true });
    },
    show: (span) => change({ range: undefined, ...addressOf(atLeast(span, Date.now())) }, { step: true }),
  };
}

/** Returns the time when the preset was chosen, advanced in steps. */
function useSteppingNow(preset: Preset | undefined): number {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const current = useRef({ preset, now: Date.now() });
  if (current.current.preset !== preset) current.current = { preset, now: Date.now() };
  useEffect(() => {
    if (!preset) return;
    const timer = setInterval(
      () => {
        current.current = { preset, now: Date.now() };
        render();
      },
      Math.max(REFRESH_MS, preset.ms / POINTS),
    );
    return () => clearInterval(timer);
  }, [preset]);
  return current.current.now;
}
