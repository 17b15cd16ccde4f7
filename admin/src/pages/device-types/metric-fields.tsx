import { TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useRef, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/payloads.ts";
import { LIMITS } from "../../api/limits.ts";
import { Action } from "../../ui/ui.ts";
import type { DeviceTypeValues } from "./device-type-values.ts";
import { type MetricValues, NEW_METRIC, unstoredMetrics } from "./metric-values.ts";
import "../../parts/form/framed-fields.css";

interface MetricFieldsProps {
  form: UseFormReturnType<DeviceTypeValues>;
}

/** Shows the fields of each metric that a device type describes. */
export function MetricFields({ form }: MetricFieldsProps) {
  const { metrics } = form.getValues();
  const isAdded = useRef(false);
  const focusAdded = (input: HTMLInputElement | null) => {
    if (input && isAdded.current) input.focus();
    isAdded.current = false;
  };
  const add = () => {
    isAdded.current = true;
    form.insertListItem("metrics", NEW_METRIC);
  };
  return (
    <div className="stack-tight">
      <div>
        <strong>{t.metrics}</strong>
        <p className="soft">{t.metricsLead}</p>
      </div>
      {metrics.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a metric has no id, and its fields follow its place
        <FieldsOfMetric key={at} form={form} at={at} onFirstField={focusAdded} />
      ))}
      <div>
        <Action small label={t.addMetric} disabled={metrics.length >= LIMITS.metricsOfDeviceType} onClick={add} />
      </div>
    </div>
  );
}

interface FieldsOfMetricProps extends MetricFieldsProps {
  at: number;
  /** Called with the first field when the fields appear. */
  onFirstField: (input: HTMLInputElement | null) => void;
}

function FieldsOfMetric({ form, at, onFirstField }: FieldsOfMetricProps) {
  const { metrics, payloadFormat } = form.getValues();
  const isUnstored = unstoredMetrics(metrics).includes(metrics[at]!);
  const field = (name: keyof MetricValues) => form.getInputProps(`metrics.${at}.${name}`);
  // The function of the first render is kept, so that later ones do not take the focus.
  const [firstField] = useState(() => onFirstField);
  return (
    <fieldset className="framed-fields framed">
      <legend>{t.metric(at + 1)}</legend>
      <div className="stack">
        <div className="fields-grid">
          <TextInput
            ref={firstField}
            label={common.metric}
            placeholder={t.metricExample}
            spellCheck={false}
            {...field("metric")}
          />
          <TextInput label={t.label} {...field("label")} />
          <TextInput label={t.unit} placeholder="°C" {...field("unit")} />
          <TextInput label={t.factor} placeholder="1" inputMode="decimal" {...field("factor")} />
          {payloadFormat === "auto" && (
            <TextInput
              label={t.pointer}
              description={isUnstored ? t.needsPointer : t.pointerHelp}
              placeholder={t.pointerHint}
              spellCheck={false}
              {...field("pointer")}
            />
          )}
        </div>
        <div>
          <Action
            small
            label={common.remove}
            aria-label={t.removeMetric(at + 1)}
            onClick={() => form.removeListItem("metrics", at)}
          />
        </div>
      </div>
    </fieldset>
  );
}
