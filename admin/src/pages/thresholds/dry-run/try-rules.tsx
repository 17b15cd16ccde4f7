import { NativeSelect, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/thresholds.ts";
import { deviceTypesQuery } from "../../../api/device-types.ts";
import { deviceQuery, devicesQuery } from "../../../api/devices.ts";
import { seriesQuery } from "../../../api/live/series.ts";
import { type ChangedRule, type DryRun, dryRun } from "../../../api/monitoring/thresholds.ts";
import { filled } from "../../../api/queries.ts";
import { useAct } from "../../../parts/act/use-act.tsx";
import { bandsOf, limitsOfRule } from "../../../parts/chart/device-watch.ts";
import { Legend } from "../../../parts/chart/legend.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { useMay } from "../../../parts/session.ts";
import { Word } from "../../../parts/word.tsx";
import { Chart } from "../../../ui/chart/chart.tsx";
import { chartLines } from "../../../ui/chart/chart-lines.ts";
import { Action, type Column, duration, Notice, reading, Section, Table, Time } from "../../../ui/ui.ts";
import { SEVERITIES } from "../../../words/monitoring.ts";
import { packProblems } from "../rule-problems.ts";
import { ruleOf, type ThresholdValues } from "../rule-values.ts";

const DAY_MS = 86_400_000;
const PERIODS = [
  { value: "1", label: t.last24Hours },
  { value: "7", label: t.last7Days },
  { value: "30", label: t.last30Days },
];

/**
 * Evaluates the rules of the form over stored telemetry of a device, or of all devices of a type. Nothing is stored.
 */
export function TryRules({ form }: { form: UseFormReturnType<ThresholdValues> }) {
  const may = useMay("dryRunThreshold");
  const types = useQuery(deviceTypesQuery).data?.items ?? [];
  const [typeId, setTypeId] = useState("");
  const [deviceId, setDeviceId] = useState("");
  const [days, setDays] = useState("7");
  const { tried, problem, busy, run } = useRun();
  if (!may) return null;
  const start = () => {
    const values = form.getValues();
    const wrong = Object.entries(packProblems(values)).filter(([field]) => field.startsWith("rules."));
    for (const [field, text] of wrong) form.setFieldError(field, text);
    const type = types.find(({ id }) => id === typeId);
    const on = type ? { deviceTypeId: type.id, name: type.name } : { deviceId: deviceId.trim() };
    if (wrong.length === 0) void run(values, on, Number(days));
  };
  return (
    <Section title={t.tryTheRules} lead={t.whatTheseRulesSavedOr}>
      <div className="row row-fields">
        {types.length > 0 && (
          <NativeSelect
            label={t.tryOn}
            data={[
              { value: "", label: t.oneDevice },
              ...types.map(({ id, name }) => ({ value: id, label: t.allDevicesOf(name) })),
            ]}
            value={typeId}
            onChange={(event) => setTypeId(event.currentTarget.value)}
          />
        )}
        {typeId === "" && <DevicePicker value={deviceId} onChange={setDeviceId} />}
        <NativeSelect
          label={t.period}
          data={PERIODS}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Action label={t.try} onClick={start} loading={busy} disabled={typeId === "" && deviceId.trim() === ""} />
      </div>
      {busy && (
        <p className="soft" aria-live="polite">
          {t.readingWhatWasStoredA}
        </p>
      )}
      {problem}
      {tried && <DryRunResult tried={tried} />}
    </Section>
  );
}

function useRun() {
  const [tried, setTried] = useState<Tried>();
  const { act, busy, problem } = useAct();
  const run = (values: ThresholdValues, on: TriedOn, days: number) =>
    act(async () => {
      const to = Date.now();
      const from = to - days * DAY_MS;
      const rules = values.rules.map(ruleOf);
      const found = await dryRun({
        rules: rules.map(({ id: _, ...rule }) => rule),
        ...("deviceId" in on ? on : { deviceTypeId: on.deviceTypeId }),
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      });
      const period = PERIODS.find(({ value }) => value === String(days))!.label;
      setTried({ rules, on, period, from, to, run: found });
    });
  return { tried: problem ? undefined : tried, problem, busy, run };
}

const TYPING_MS = 300;
const MOST = 20;

/** Chooses a device by its id; the browser offers the devices whose id or name contains the text. */
function DevicePicker({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const list = useId();
  const [q] = useDebouncedValue(value.trim(), TYPING_MS);
  const devices = useQuery(devicesQuery(filled({ q, limit: MOST }))).data?.items ?? [];
  return (
    <>
      <TextInput
        label={common.device}
        placeholder={common.deviceId}
        list={list}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      <datalist id={list}>
        {devices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}

type WouldBe = DryRun["anomalies"][number];

const COLUMNS: readonly Column<WouldBe>[] = [
  { title: common.anomaly, main: true, cell: ({ message }) => message },
  { title: t.severity, cell: ({ severity }) => <Word of={SEVERITIES} value={severity} /> },
  { title: t.wouldHaveOpened, cell: ({ openedAt }) => <Time at={openedAt} /> },
  { title: common.resolved, cell: ({ resolvedAt }) => (resolvedAt ? <Time at={resolvedAt} /> : t.notInThisTime) },
  { title: t.lastValue, numeric: true, cell: ({ value }) => reading(value) },
];

const DEVICE: Column<WouldBe> = {
  title: common.device,
  cell: ({ deviceId }) => <a href={`/devices/${encodeURIComponent(deviceId)}`}>{deviceId}</a>,
};

/** The anomalies that would have opened, and, for one device, its chart. */
function DryRunResult({ tried }: { tried: Tried }) {
  const { anomalies, readings, devices, cut } = tried.run;
  const deviceId = "deviceId" in tried.on ? tried.on.deviceId : undefined;
  const on = "deviceId" in tried.on ? tried.on.deviceId : t.of(nouns.device(devices), tried.on.name);
  const conditions = tried.rules.flatMap((rule) => [rule, ...(rule.and ?? rule.or ?? [])]);
  const metrics = [...new Set(conditions.map(({ metric }) => metric))];
  const found = anomalies.length === 0 ? t.noAnomaly : nouns.anomaly(anomalies.length);
  return (
    <div className="stack-loose">
      <Notice tone={anomalies.length === 0 ? "good" : "accent"} title={t.wouldHaveOpened2(found)} live>
        <p>{t.of2(on, tried.period, nouns.reading(readings), metrics.join(", "))}</p>
        {readings === 0 && <p>{t.noReadingOfTheseMetrics}</p>}
        {cut && <p>{t.theRunWasStoppedAt(deviceId ? "" : t.orOneDevice)}</p>}
      </Notice>
      {deviceId &&
        metrics.map((metric) => <DryRunChart key={metric} metric={metric} tried={tried} deviceId={deviceId} />)}
      {anomalies.length > 0 && (
        <Table
          label={t.anomaliesThatWouldHaveOpened}
          columns={deviceId ? COLUMNS : [...COLUMNS, DEVICE]}
          rows={anomalies}
          rowKey={({ rule, openedAt, deviceId: of }) => `${of} ${rule} ${openedAt}`}
        />
      )}
    </div>
  );
}

/** One device, or all devices of a type that the user sees. */
type TriedOn = { deviceId: string } | { deviceTypeId: string; name: string };
/** A dry run and its result. */
interface Tried {
  rules: readonly ChangedRule[];
  on: TriedOn;
  period: string;
  from: number;
  to: number;
  run: DryRun;
}

/** The measurements of the device, the limits of the rules, and the times of the anomalies that would have opened. */
function DryRunChart({ metric, tried, deviceId }: { metric: string; tried: Tried; deviceId: string }) {
  const { from, to, rules, run } = tried;
  const range = useMemo(() => ({ from, to }), [from, to]);
  const query = useQuery(seriesQuery(deviceId, metric, range));
  const metadata = useQuery(deviceQuery(deviceId)).data?.record.metadata;
  const bands = useMemo(
    () =>
      bandsOf(
        run.anomalies.filter((each) => each.metric === metric),
        to,
      ),
    [run, metric, to],
  );
  return (
    <Loaded query={query}>
      {({ points, bucketSeconds, readAt }) => {
        if (points.length === 0) return null;
        const limits = rules.flatMap((rule) => limitsOfRule(rule, metric, metadata));
        const { times, series, gaps } = chartLines({ points, bucketSeconds, range, now: readAt });
        return (
          <div className="stack">
            <div>
              <h3>{metric}</h3>
              <span className="soft">{t.dashedTheLimitsEachPoint(duration(bucketSeconds))}</span>
            </div>
            <Chart
              label={t.withTheAnomaliesThatThe(metric)}
              times={times}
              series={series}
              range={range}
              limits={limits}
              bands={bands}
              gaps={gaps}
              height={260}
            />
            <Legend limits={limits} near={limits} gaps={gaps.length} anomalies={bands.length} />
          </div>
        );
      }}
    </Loaded>
  );
}
