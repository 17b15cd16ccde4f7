import type { CSSProperties } from "react";

/**
 * The colours of the app. A tone has a meaning, in both schemes. `text` is readable on `fill`, on the page and on a
 * panel (at least 4.5:1, WCAG 1.4.3, which `tones.test.ts` checks), and white is readable on `solid`.
 */
export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";
export type Scheme = "light" | "dark";

export interface Shades {
  text: string;
  fill: string;
  border: string;
  solid: string;
}

export const TONES: Record<Scheme, Record<Tone, Shades>> = {
  light: {
    neutral: { text: "#46525e", fill: "#edf1f4", border: "#c6cfd7", solid: "#46525e" },
    accent: { text: "#0b5a6f", fill: "#e2f0f3", border: "#9cc9d5", solid: "#0b5a6f" },
    good: { text: "#1c6b35", fill: "#e4f3e8", border: "#9fd0ae", solid: "#1c6b35" },
    warn: { text: "#7a4a08", fill: "#fdf1da", border: "#e3bf78", solid: "#85510a" },
    bad: { text: "#a62a2a", fill: "#fdeaea", border: "#e8adad", solid: "#a62a2a" },
  },
  dark: {
    neutral: { text: "#b4c0ca", fill: "#222d36", border: "#3d4b57", solid: "#4d5b68" },
    accent: { text: "#74c7dd", fill: "#143540", border: "#2b6576", solid: "#10708a" },
    good: { text: "#7fd096", fill: "#15331f", border: "#2c6640", solid: "#1f7a3d" },
    warn: { text: "#e5b35c", fill: "#3a2c10", border: "#74581f", solid: "#8a5a10" },
    bad: { text: "#f59a94", fill: "#3f1c1c", border: "#7d3836", solid: "#b23a3a" },
  },
};

/** The ground, and text of less weight. `control` is the border of a field, at least 3:1 on its ground. */
export const GROUND: Record<Scheme, Record<"text" | "soft" | "page" | "panel" | "line" | "control", string>> = {
  light: { text: "#1b232c", soft: "#55616e", page: "#ffffff", panel: "#f5f7f8", line: "#dde3e8", control: "#808c98" },
  dark: { text: "#e3e9ee", soft: "#a0adb8", page: "#10161b", panel: "#182128", line: "#2c3842", control: "#657482" },
};

/** Returns the style sheets' variables of a scheme: `--text`, `--good-fill`, … */
export function variablesOf(scheme: Scheme): Record<string, string> {
  const ground = Object.entries(GROUND[scheme]).map(([name, colour]) => [`--${name}`, colour]);
  const tones = Object.entries(TONES[scheme]).flatMap(([tone, shades]) =>
    Object.entries(shades).map(([name, colour]) => [`--${tone}-${name}`, colour]),
  );
  return Object.fromEntries([...ground, ...tones]);
}

/** Returns the variables `--tone-text`, `--tone-fill` and `--tone-border` of an element in a tone. */
export function toneStyle(tone: Tone): CSSProperties {
  const names = ["text", "fill", "border"].map((name) => [`--tone-${name}`, `var(--${tone}-${name})`]);
  return Object.fromEntries(names);
}
