import { localTime, plural } from "../display/format.ts";
import { Shape } from "../display/status.tsx";
import type { Span } from "./gaps.ts";
import { groupMarks, type Mark, type MarkGroup, worstTone } from "./mark-groups.ts";

/** Of a mark: a finger meets it. */
const WIDTH = 24;

export interface Marks {
  items: readonly Mark[];
  /** What several at once are called: `anomaly`, `anomalies`. */
  names: readonly [one: string, many: string];
  /** The list of those that happened in a time. */
  listOf: (span: Span) => string;
}

interface MarkRowProps {
  marks: Marks;
  range: Span;
  /** Pixels: where the axis of time begins, and its length. */
  axis: { left: number; width: number };
}

/** Links above a chart, each at its time. */
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
  const label = single ? first.label : `${plural(group.marks.length, ...marks.names)} from ${localTime(first.at)}`;
  const tone = worstTone(group.marks);
  return (
    <a
      className={`chart-mark chart-mark-${tone}`}
      style={{ left: group.left - WIDTH / 2 }}
      href={single ? first.href : marks.listOf({ from: first.at, to: last.at + 1 })}
      aria-label={label}
      title={label}
    >
      {single ? <Shape tone={tone} /> : group.marks.length}
    </a>
  );
}
