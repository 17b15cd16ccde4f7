import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Span } from "../../ui/chart/gaps.ts";
import { duration, localTime } from "../../ui/display/format.ts";
import { type Preset, shiftedBy, spanOf, zoomedBy } from "./time-range.ts";
import type { TimeRange } from "./use-time-range.ts";
import "./range-bar.css";

const FIXED = "fixed";

interface RangeBarProps {
  range: TimeRange;
  presets?: readonly Preset[];
  /** What leads back from a chosen range where there are no presets. */
  whole?: string;
}

/** Chooses the range of all charts of a screen. What dragging does is done by its buttons, too. */
export function RangeBar({ range, presets = [], whole }: RangeBarProps) {
  const { span, preset, isFixed, choose, show } = range;
  const [dates, setDates] = useState(false);
  const zoom = (factor: number) => () => show(zoomedBy(span, factor, Date.now()));
  const shift = (direction: -1 | 1) => () => show(shiftedBy(span, direction, Date.now()));
  return (
    <div className="stack">
      <div className="range-bar">
        {presets.length > 0 && (
          <SegmentedControl
            aria-label="Range"
            value={preset?.name ?? FIXED}
            data={[
              ...presets.map(({ name, label }) => ({ value: name, label })),
              ...(preset ? [] : [{ value: FIXED, label: "Dates" }]),
            ]}
            onChange={(name) => choose(presets.find((each) => each.name === name))}
          />
        )}
        {/* biome-ignore lint/a11y/useSemanticElements: buttons, not fields */}
        <div className="row" role="group" aria-label="Move the range">
          <Step label="Earlier" sign="‹" onClick={shift(-1)} />
          <Step label="Later" sign="›" onClick={shift(1)} />
          <Step label="Zoom in" sign="+" onClick={zoom(0.5)} />
          <Step label="Zoom out" sign="−" onClick={zoom(2)} />
        </div>
        <Button variant="default" aria-expanded={dates} onClick={() => setDates(!dates)}>
          From, to
        </Button>
        {whole && isFixed && (
          <Button variant="subtle" onClick={() => choose(undefined)}>
            {whole}
          </Button>
        )}
      </div>
      {dates && <Dates key={`${span.from} ${span.to}`} span={span} onShow={show} />}
      <p className="soft">
        {localTime(span.from)} to {localTime(span.to)} ({duration(Math.round((span.to - span.from) / 1000))})
      </p>
    </div>
  );
}

function Step({ label, sign, onClick }: { label: string; sign: string; onClick: () => void }) {
  return (
    <Button variant="default" className="range-step" aria-label={label} title={label} onClick={onClick}>
      {sign}
    </Button>
  );
}

/** Two times of the user's own zone. */
function Dates({ span, onShow }: { span: Span; onShow: (span: Span) => void }) {
  const [from, setFrom] = useState(localSecond(span.from));
  const [to, setTo] = useState(localSecond(span.to));
  const wanted = spanOf({ from, to });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted) onShow(wanted);
  };
  return (
    <form className="row range-dates" onSubmit={submit}>
      <TextInput
        type="datetime-local"
        step={1}
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label="To"
        value={to}
        error={wanted ? undefined : "The range ends before it begins, or is too long."}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button type="submit" disabled={!wanted}>
        Show
      </Button>
    </form>
  );
}

/** `2026-11-22T14:30:05`, of the user's own zone. */
function localSecond(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
