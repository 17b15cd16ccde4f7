import { TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { common } from "#texts/common.ts";
import { t } from "#texts/payloads.ts";
import { LIMITS } from "../../api/limits.ts";
import { Action } from "../../ui/ui.ts";
import type { DeviceTypeValues } from "./device-type-values.ts";
import { type MetricValues, NEW_METRIC, unstoredMetrics } from "./metric-values.ts";
import "../../parts/form/framed-fields.css";

/** Shows the fields of each metric that a device type describes. */
export function MetricFields({ form }: { form: UseFormReturnType<DeviceTypeValues> }) {
  const { metrics, payloadFormat } = form.getValues();
  const takesPointers = payloadFormat === "auto";
  const unstored = new Set(unstoredMetrics(metrics));
  return (
    <div className="stack-tight">
      <div>
        <strong>{t.metrics}</strong>
        <p className="soft">{t.metricsLead}</p>
      </div>
      {metrics.map((metric, at) => {
        const field = (name: keyof MetricValues) => form.getInputProps(`metrics.${at}.${name}`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a metric has no id, and its fields follow its place
          <fieldset key={at} className="framed-fields framed">
            <legend>{t.metric(at + 1)}</legend>
            <div className="stack">
              <div className="fields-grid">
                <TextInput
                  label={common.metric}
                  placeholder={t.metricExample}
                  spellCheck={false}
                  {...field("metric")}
                />
                <TextInput label={t.label} {...field("label")} />
                <TextInput label={t.unit} placeholder="°C" {...field("unit")} />
                <TextInput label={t.factor} placeholder="1" inputMode="decimal" {...field("factor")} />
                {takesPointers && (
                  <TextInput
                    label={t.pointer}
                    description={unstored.has(metric) ? t.needsPointer : t.pointerHelp}
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
      })}
      <div>
        <Action
          small
          label={t.addMetric}
          disabled={metrics.length >= LIMITS.metricsOfDeviceType}
          onClick={() => form.insertListItem("metrics", NEW_METRIC)}
        />
      </div>
    </div>
  );
}
