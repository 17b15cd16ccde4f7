import { NativeSelect, Textarea } from "@mantine/core";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/payloads.ts";
import { type DeviceType, type PayloadTrial, tryPayload } from "../../api/device-types.ts";
import { useAct } from "../../parts/act/use-act.tsx";
import { metricName, metricValue } from "../../parts/metrics/metric-text.ts";
import { Action, type Column, Notice, Section, Table, Time } from "../../ui/ui.ts";
import { unstoredMetrics } from "./metric-values.ts";

type Encoding = Parameters<typeof tryPayload>[1]["encoding"];
const ENCODINGS = Object.entries(t.encodings).map(([value, label]) => ({ value, label }));

/** Decodes a payload as devices of the type send it, and shows what would be stored of it. */
export function TryPayload({ type }: { type: Pick<DeviceType, "id" | "payloadFormat" | "metrics"> }) {
  const isBinary = type.payloadFormat === "cayenne-lpp" || type.payloadFormat === "senml-cbor";
  const [payload, setPayload] = useState("");
  const [encoding, setEncoding] = useState<Encoding>(isBinary ? "hex" : "text");
  const [trial, setTrial] = useState<PayloadTrial>();
  const { act, busy, problem } = useAct();
  const run = () => act(async () => setTrial(await tryPayload(type.id, { payload, encoding })));
  return (
    <Section title={t.tryPayload} lead={t.tryLead}>
      <Textarea
        label={t.payload}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        placeholder={encoding === "text" ? t.payloadExample : undefined}
        classNames={{ input: "mono" }}
        value={payload}
        onChange={(event) => setPayload(event.currentTarget.value)}
      />
      <div className="row row-fields">
        <NativeSelect
          label={t.encoding}
          data={ENCODINGS}
          value={encoding}
          onChange={(event) => setEncoding(event.currentTarget.value as Encoding)}
        />
        <Action label={t.try} loading={busy} disabled={payload === ""} onClick={() => void run()} />
      </div>
      {problem}
      {!problem && trial && <Outcome trial={trial} metrics={type.metrics} />}
    </Section>
  );
}

interface OutcomeProps {
  trial: PayloadTrial;
  metrics: DeviceType["metrics"];
}

interface Row {
  metric: string;
  value: unknown;
  at: string;
  timeReplaced: boolean;
}

function Outcome({ trial, metrics }: OutcomeProps) {
  const rows = trial.readings.flatMap(({ at, timeReplaced, values }) =>
    values.map((value): Row => ({ ...value, at, timeReplaced })),
  );
  const unstored = unstoredMetrics(metrics).map(({ metric }) => metricName(metric, metrics));
  const columns: readonly Column<Row>[] = [
    { title: common.metric, main: true, cell: ({ metric }) => metricName(metric, metrics) },
    { title: t.value, numeric: true, cell: ({ metric, value }) => metricValue(metric, value, metrics) },
    {
      title: t.measured,
      cell: ({ at, timeReplaced }) => (
        <>
          <Time at={at} />
          {timeReplaced && <div className="soft">{t.timeReplaced}</div>}
        </>
      ),
    },
  ];
  return (
    <div className="stack" aria-live="polite">
      <Refused trial={trial} stored={rows.length} />
      {unstored.length > 0 && <Notice tone="warn">{t.withoutPointer(unstored.join(", "))}</Notice>}
      {rows.length > 0 && (
        <Table label={t.storedValues} columns={columns} rows={rows} rowKey={({ metric, at }) => `${at} ${metric}`} />
      )}
    </div>
  );
}

function Refused({ trial: { rejected, payloadBytes }, stored }: { trial: PayloadTrial; stored: number }) {
  if (rejected === null) return <Notice tone="good">{t.everythingIsStored(stored, payloadBytes)}</Notice>;
  const { reason, problems, problemCount } = rejected;
  return (
    <Notice tone={stored === 0 ? "bad" : "warn"}>
      <p>{stored === 0 ? t.nothingIsStored(reason) : t.partlyStored(stored, problemCount)}</p>
      {problems.length > 0 && (
        <ul>
          {problems.map((each, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two problems may have one path
            <li key={at}>
              <code>{each.path}</code> {each.reason}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
