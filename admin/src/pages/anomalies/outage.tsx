import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/anomalies.ts";
import { type OutageOfAnomaly, outageQuery } from "../../api/monitoring/anomalies.ts";
import { numberText } from "../../texts/number-text.ts";
import { type Column, Pager, Section, Status, Table, Time } from "../../ui/ui.ts";

type Outage = NonNullable<OutageOfAnomaly["outage"]>;
type Device = OutageOfAnomaly["items"][number];

/** The devices that fell silent together with that of an anomaly; nothing if there are none. */
export function OutageSection({ anomalyId }: { anomalyId: string }) {
  const [skip, setSkip] = useState(0);
  const { data } = useQuery({ ...outageQuery(anomalyId, skip), placeholderData: keepPreviousData });
  if (!data?.outage) return null;
  return (
    <Section title={t.outage} lead={<Cause outage={data.outage} />}>
      <Table label={t.devicesOfTheOutage} columns={COLUMNS} rows={data.items} rowKey={({ anomalyId: id }) => id} />
      <Pager page={data} of={nouns.device} onSkip={setSkip} />
    </Section>
  );
}

function Cause({ outage }: { outage: Outage }) {
  const { kind, value, label, silent, explained, sharing, since } = outage;
  const shared = OUTAGE_KINDS[kind](label ?? value);
  return t.fellSilentTogether(
    nouns.device(silent),
    <Time at={since} />,
    numberText(explained),
    shared,
    numberText(sharing),
  );
}

const OUTAGE_KINDS: Readonly<Record<Outage["kind"], (value: string) => string>> = {
  all: () => t.nearlyAll,
  address: t.behindAddress,
  block: t.behindAddress,
  node: t.connectedToNode,
  batch: t.enrolledWithClaim,
  version: t.withAgentVersion,
  type: t.ofTheType,
  group: t.inTheGroup,
};

const COLUMNS: readonly Column<Device>[] = [
  {
    title: common.device,
    main: true,
    cell: ({ deviceId, deviceName }) => <a href={`/devices/${encodeURIComponent(deviceId)}`}>{deviceName}</a>,
  },
  {
    title: common.state,
    cell: ({ resolvedAt }) => (
      <Status of={resolvedAt === null ? ["bad", t.stillSilent] : ["good", t.speaksAgain]} plain />
    ),
  },
  {
    title: t.silentSince,
    cell: ({ openedAt, anomalyId }) => (
      <a href={`/anomalies/${anomalyId}`}>
        <Time at={openedAt} />
      </a>
    ),
  },
  { title: t.again, cell: ({ resolvedAt }) => (resolvedAt ? <Time at={resolvedAt} /> : "–") },
];
