import { SegmentedControl, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/parts.ts";
import type { Span } from "../../ui/chart/gaps.ts";
import { Action, duration, localText, localTime } from "../../ui/ui.ts";
import { instantOf } from "../filter-values.ts";
import { type Preset, shiftedBy, spanOf, zoomedBy } from "./time-range.ts";
import type { TimeRange } from "./use-time-range.ts";
import "./range-bar.css";

const FIXED = "fixed";

interface RangeBarProps {
  range: TimeRange;
  presets?: readonly Preset[];
  /** The label of the way back from a chosen range, for a screen without presets. */
  whole?: string;
}

/** Chooses the range of all charts of a screen. Its buttons do everything that dragging does. */
export function RangeBar({ range, presets = [], whole }: RangeBarProps) {
  const { span, preset, isFixed, choose, show } = range;
  const [dates, setDates] = useState(false);
  const zoom = (factor: number) => () => show(zoomedBy(span, factor, Date.now()));
  const shift = (direction: -1 | 1) => () => show(shiftedBy(span, direction, Date.now()));
  return (
    <div className="stack">
      <div className="range-bar row">
        {presets.length > 0 && (
          <SegmentedControl
            aria-label={t.range}
            value={preset?.name ?? FIXED}
            data={[
              ...presets.map(({ name, label }) => ({ value: name, label })),
              ...(preset ? [] : [{ value: FIXED, label: t.dates }]),
            ]}
            onChange={(name) => choose(presets.find((each) => each.name === name))}
          />
        )}
        {/* biome-ignore lint/a11y/useSemanticElements: buttons, not fields */}
        <div className="row" role="group" aria-label={t.moveTheRange}>
          <Step label={t.earlier} sign="‹" onClick={shift(-1)} />
          <Step label={t.later} sign="›" onClick={shift(1)} />
          <Step label={t.zoomIn} sign="+" onClick={zoom(0.5)} />
          <Step label={t.zoomOut} sign="−" onClick={zoom(2)} />
        </div>
        <Action label={t.fromTo} aria-expanded={dates} onClick={() => setDates(!dates)} />
        {whole && isFixed && <Action subtle label={whole} onClick={() => choose(undefined)} />}
      </div>
      {dates && <Dates key={`${span.from} ${span.to}`} span={span} onShow={show} />}
      <p className="soft">
        {t.to2(localTime(span.from), localTime(span.to), duration(Math.round((span.to - span.from) / 1000)))}
      </p>
    </div>
  );
}

function Step({ label, sign, onClick }: { label: string; sign: string; onClick: () => void }) {
  return <Action label={sign} className="range-step" aria-label={label} title={label} onClick={onClick} />;
}

/** Asks for two times in the user's own zone. */
function Dates({ span, onShow }: { span: Span; onShow: (span: Span) => void }) {
  const [from, setFrom] = useState(localText(span.from));
  const [to, setTo] = useState(localText(span.to));
  const wanted = spanOf({ from: instantOf(from), to: instantOf(to) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted) onShow(wanted);
  };
  return (
    <form className="row range-dates" onSubmit={submit}>
      <TextInput
        type="datetime-local"
        step={1}
        label={common.from}
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label={t.to}
        value={to}
        error={wanted ? undefined : t.theRangeEndsBeforeIt}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Action label={t.show} type="submit" disabled={!wanted} />
    </form>
  );
}
