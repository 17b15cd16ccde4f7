import type { Tone } from "../theme/tones.ts";

/** An event with a screen of its own. */
export interface Mark {
  /** Milliseconds. */
  at: number;
  tone: Tone;
  label: string;
  href: string;
}

/** Marks that would overlap. */
export interface MarkGroup {
  /** Pixels from the left. */
  left: number;
  marks: readonly Mark[];
}

/** The worst tone first. */
const TONES: readonly Tone[] = ["bad", "warn", "accent", "neutral", "good"];

export function worstTone(marks: readonly Mark[]): Tone {
  return TONES.find((tone) => marks.some((mark) => mark.tone === tone)) ?? "neutral";
}

/** Groups marks in their order: those within `apart` pixels of the first mark of a group belong to it. */
export function groupMarks(marks: readonly Mark[], leftOf: (at: number) => number, apart: number): MarkGroup[] {
  const groups: { left: number; marks: Mark[] }[] = [];
  for (const mark of marks.toSorted((one, other) => one.at - other.at)) {
    const left = leftOf(mark.at);
    const last = groups.at(-1);
    if (last && left - last.left < apart) last.marks.push(mark);
    else groups.push({ left, marks: [mark] });
  }
  return groups;
}
