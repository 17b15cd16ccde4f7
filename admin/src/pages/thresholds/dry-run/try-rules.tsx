import { Button, NativeSelect } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deviceTypesQuery } from "../../../api/device-types.ts";
import { dryRun } from "../../../api/monitoring/thresholds.ts";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import { useMay } from "../../../parts/session.ts";
import { Section } from "../../../ui/page/page.tsx";
import { ruleOf } from "../rule-values.ts";
import { packProblems, type ThresholdValues } from "../threshold-values.ts";
import { DevicePicker } from "./device-picker.tsx";
import { DryRunResult } from "./dry-run-result.tsx";
import type { Tried, TriedOn } from "./tried.ts";

const DAY_MS = 86_400_000;
const PERIODS = [
  { value: "1", label: "last 24 hours" },
  { value: "7", label: "last 7 days" },
  { value: "30", label: "last 30 days" },
];

/** Evaluates the rules as they are in the form over what a device, or the devices of a type, have sent. Nothing is stored, and no message is sent. */
export function TryRules({ form }: { form: UseFormReturnType<ThresholdValues> }) {
  const may = useMay("dryRunThreshold");
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  const [typeId, setTypeId] = useState("");
  const [deviceId, setDeviceId] = useState("");
  const [days, setDays] = useState("7");
  const { tried, error, busy, run } = useRun();
  if (!may) return null;
  const start = () => {
    const values = form.getValues();
    const wrong = Object.entries(packProblems(values)).filter(([field]) => field.startsWith("rules."));
    for (const [field, problem] of wrong) form.setFieldError(field, problem);
    const type = types.find(({ id }) => id === typeId);
    const on = type ? { deviceTypeId: type.id, name: type.name } : { deviceId: deviceId.trim() };
    if (wrong.length === 0) void run(values, on, Number(days));
  };
  return (
    <Section
      title="Try the rules"
      lead="What these rules, saved or not, would have found in stored telemetry. It opens no anomaly and sends no message."
    >
      <div className="row row-fields">
        {types.length > 0 && (
          <NativeSelect
            label="Try on"
            data={[
              { value: "", label: "one device" },
              ...types.map(({ id, name }) => ({ value: id, label: `all devices of ${name}` })),
            ]}
            value={typeId}
            onChange={(event) => setTypeId(event.currentTarget.value)}
          />
        )}
        {typeId === "" && <DevicePicker value={deviceId} onChange={setDeviceId} />}
        <NativeSelect
          label="Period"
          data={PERIODS}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Button variant="default" onClick={start} loading={busy} disabled={typeId === "" && deviceId.trim() === ""}>
          Try
        </Button>
      </div>
      {busy && (
        <p className="soft" aria-live="polite">
          Reading what was stored. A run stops after some seconds, and waits for another one of your tenant.
        </p>
      )}
      {error !== undefined && <ProblemBox error={error} />}
      {tried && <DryRunResult tried={tried} />}
    </Section>
  );
}

function useRun() {
  const [tried, setTried] = useState<Tried>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const run = async (values: ThresholdValues, on: TriedOn, days: number) => {
    setBusy(true);
    setError(undefined);
    const to = Date.now();
    const from = to - days * DAY_MS;
    const rules = values.rules.map(ruleOf);
    try {
      const found = await dryRun({
        rules: rules.map(({ id: _, ...rule }) => rule),
        ...("deviceId" in on ? on : { deviceTypeId: on.deviceTypeId }),
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      });
      const period = PERIODS.find(({ value }) => value === String(days))!.label;
      setTried({ rules, on, period, from, to, run: found });
    } catch (reason) {
      setTried(undefined);
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return { tried, error, busy, run };
}
