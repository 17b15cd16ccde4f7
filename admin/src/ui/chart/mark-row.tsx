import { t } from "#texts/ui.ts";
import type { Counted } from "../../texts/counted.ts";
import { localTime } from "../display/format.ts";
import { Shape } from "../display/status.tsx";
import { toneStyle } from "../theme/tones.ts";
import type { Span } from "./gaps.ts";
import { groupMarks, type Mark, type MarkGroup, worstTone } from "./mark-groups.ts";

/** The width of a mark, in pixels, for a finger. */
const WIDTH = 24;

export interface Marks {
  items: readonly Mark[];
  /** The noun for the marks. */
  noun: Counted;
  /** Returns the address of the list of marks in a range. */
  listOf: (span: Span) => string;
}

interface MarkRowProps {
  marks: Marks;
  range: Span;
  /** The start and the length of the time axis, in pixels. */
  axis: { left: number; width: number };
}

export function MarkRow({ marks, range, axis }: MarkRowProps) {
  const leftOf = (at: number) => {
    const share = (at - range.from) / (range.to - range.from);
    return axis.left + Math.min(1, Math.max(0, share)) * axis.width;
  };
  return (
    <div className="chart-marks">
      {groupMarks(marks.items, leftOf, WIDTH).map((group) => (
        <MarkLink key={group.marks[0]!.href} group={group} marks={marks} />
      ))}
    </div>
  );
}

function MarkLink({ group, marks }: { group: MarkGroup; marks: Marks }) {
  const [first, last] = [group.marks[0]!, group.marks.at(-1)!];
  const single = first === last;
  const label = single ? first.label : t.from(marks.noun(group.marks.length), localTime(first.at));
  const tone = worstTone(group.marks);
  return (
    <a
      className="chart-mark"
      style={{ ...toneStyle(tone), left: group.left - WIDTH / 2 }}
      href={single ? first.href : marks.listOf({ from: first.at, to: last.at + 1 })}
      aria-label={label}
      title={label}
    >
      {single ? <Shape tone={tone} /> : group.marks.length}
    </a>
  );
}
