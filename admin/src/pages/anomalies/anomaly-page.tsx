import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/anomalies.ts";
import type { Schemas } from "../../api/client.ts";
import { seriesQuery } from "../../api/live/series.ts";
import { type Anomaly, anomalyQuery, pagesQuery } from "../../api/monitoring/anomalies.ts";
import { deliveriesQuery } from "../../api/monitoring/deliveries.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { ticketQuery } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { useDeviceWatch } from "../../parts/chart/device-watch.ts";
import { metricsParameter } from "../../parts/chart/metric-names.ts";
import { RangeBar } from "../../parts/chart/range-bar.tsx";
import { SeriesChart } from "../../parts/chart/series-chart.tsx";
import { addressOf } from "../../parts/chart/time-range.ts";
import { useTimeRange } from "../../parts/chart/use-time-range.ts";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Records } from "../../parts/list/records.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { MetricName } from "../../parts/metrics/metric-name.tsx";
import { type MetricSettings, metricTitle, metricValue } from "../../parts/metrics/metric-text.ts";
import { useMetricSettings } from "../../parts/metrics/use-metric-settings.ts";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Word } from "../../parts/word.tsx";
import { limitsOf, rangeOf } from "../../ui/chart/chart-lines.ts";
import type { Span } from "../../ui/chart/gaps.ts";
import {
  Action,
  Ago,
  type Column,
  duration,
  Empty,
  type FactList,
  Facts,
  Pager,
  reading,
  Section,
  Time,
  useOpens,
} from "../../ui/ui.ts";
import { ANOMALY_STATUSES, HELD_BY, NOTIFIED, PAGE_STATES, SEVERITIES } from "../../words/monitoring.ts";
import { DeliveryTable } from "../deliveries/delivery-table.tsx";
import { OpenTicket } from "../tickets/ticket-fields.tsx";
import { AcknowledgeForm, acknowledgeTitle } from "./acknowledge.tsx";
import { isLostRenewal } from "./columns.tsx";
import { OutageSection } from "./outage.tsx";
import { SetAside, SetAsideNotice } from "./set-aside.tsx";

/** An anomaly: its measurements, the pages and messages that it caused, and the way to a ticket. */
export default function AnomalyPage() {
  const { id } = usePathParams<"id">();
  return (
    <RecordPage
      query={useQuery(anomalyQuery(id))}
      back={{ href: "/anomalies", label: common.anomalies }}
      kind={common.anomaly}
      title={({ message }) => message}
      lead={({ severity, status, deviceId }) => (
        <span className="row">
          <Word of={ANOMALY_STATUSES} value={status} />
          <Word of={SEVERITIES} value={severity} />
          <DeviceLink id={deviceId} />
        </span>
      )}
      actions={(anomaly) => <Actions anomaly={anomaly} />}
    >
      {(anomaly) => (
        <>
          <SetAsideNotice id={anomaly.id} />
          <AnomalyFacts anomaly={anomaly} />
          <OutageSection anomalyId={anomaly.id} />
          <AnomalyChart anomaly={anomaly} />
          <Notified anomalyId={anomaly.id} />
        </>
      )}
    </RecordPage>
  );
}

function Actions({ anomaly }: { anomaly: Anomaly }) {
  const { id, ticketId, acknowledgedAt } = anomaly;
  const mayAcknowledge = useMay("acknowledgeAnomalies") && acknowledgedAt === null;
  const mayOpen = useMay("openTicket");
  const isUnfinished = useHasUnfinishedTicket(anomaly);
  const [open, ticketDialog] = useOpens({
    label: t.openATicket,
    title: t.openATicket,
    children: (close) => <OpenTicket onClose={close} about={anomaly} />,
  });
  const [acknowledge, acknowledgeDialog] = useOpens({
    main: true,
    label: t.acknowledge2,
    title: acknowledgeTitle([id]),
    children: (close) => <AcknowledgeForm ids={[id]} onClose={close} />,
  });
  return (
    <>
      {ticketId && <Action label={t.showTicket} href={`/tickets/${ticketId}`} />}
      {mayOpen && !isUnfinished && open}
      <SetAside anomaly={anomaly} />
      {mayAcknowledge && acknowledge}
      {ticketDialog}
      {acknowledgeDialog}
    </>
  );
}

/** An anomaly has one unfinished ticket at a time. */
function useHasUnfinishedTicket({ ticketId }: Anomaly): boolean {
  const ticket = useQuery({ ...ticketQuery(ticketId ?? ""), enabled: ticketId !== null }).data?.record;
  if (ticketId === null) return false;
  return ticket === undefined || (ticket.status !== "completed" && ticket.status !== "cancelled");
}

function AnomalyFacts({ anomaly }: { anomaly: Anomaly }) {
  return <Facts framed facts={factsOf(anomaly, useMetricSettings(anomaly.deviceId))} />;
}

function factsOf(anomaly: Anomaly, settings: MetricSettings): FactList {
  const { openedAt, lastObservedAt, occurrences, acknowledgedAt, acknowledgedBy } = anomaly;
  const { resolvedAt, resolvedBy, comment, thresholdId } = anomaly;
  return {
    ...subjectFacts(anomaly, settings),
    [t.observed]: nouns.time(occurrences),
    [common.thresholdPack]: thresholdId ? <Pack id={thresholdId} /> : common.none,
    [t.opened]: <Time at={openedAt} />,
    [t.lastObserved]: <Ago at={lastObservedAt} />,
    [common.acknowledged]: <Time at={acknowledgedAt} none={t.notYet} />,
    ...(acknowledgedBy && { [t.acknowledgedBy]: <Actor of={acknowledgedBy} /> }),
    ...(comment && { [t.comment]: comment }),
    [common.resolved]: <Time at={resolvedAt} none={t.notYet} />,
    // `system` is the service here, because the command line cannot resolve an anomaly.
    ...(resolvedBy && { [t.resolvedBy]: resolvedBy === "system" ? t.theService : <Actor of={resolvedBy} /> }),
  };
}

/** Returns the observed values and the limit. */
function subjectFacts(anomaly: Anomaly, settings: MetricSettings): FactList {
  const { metric, value, limit } = anomaly;
  if (isLostRenewal(anomaly))
    return {
      [common.metric]: t.noneTheCertificateIsNot,
      [t.aNewCertificateWasDue]: <Time at={String(limit)} />,
      [t.theCertificateEnds]: <Time at={String(value)} />,
    };
  const shown = (each: unknown) => metricValue(metric, each, settings);
  return {
    [common.metric]: metric === null ? t.noneTheDeviceIsSilent : <MetricName metric={metric} settings={settings} />,
    [metric === null ? t.secondsWithoutAMessage : t.lastValueBeyondTheLimit]: shown(value),
    [common.limit]: Array.isArray(limit) ? t.to(reading(limit[0]), shown(limit[1])) : shown(limit),
  };
}

/** The pack of the rule by name, or by its id if it is deleted. */
function Pack({ id }: { id: string }) {
  const name = useQuery(thresholdChoicesQuery).data?.items.find((pack) => pack.id === id)?.name;
  return name === undefined ? <span className="mono">{id}</span> : <a href={`/thresholds/${id}`}>{name}</a>;
}

/** The measurements around the opening of the anomaly, and the crossed limit. */
function AnomalyChart({ anomaly }: { anomaly: Anomaly }) {
  const { metric, value } = anomaly;
  if (metric === null || typeof value !== "number") return null;
  return <Measured anomaly={anomaly} metric={metric} />;
}

function Measured({ anomaly, metric }: { anomaly: Anomaly; metric: string }) {
  const { deviceId, openedAt, lastObservedAt } = anomaly;
  const settings = useMetricSettings(deviceId);
  const whole = useMemo(() => rangeOf({ openedAt, lastObservedAt }, Date.now()), [openedAt, lastObservedAt]);
  const range = useTimeRange(whole);
  const query = useQuery({ ...seriesQuery(deviceId, metric, range.span), placeholderData: keepPreviousData });
  return (
    <Section
      title={metricTitle(metric, settings)}
      lead={t.fromAnHourBeforeIt}
      actions={<a href={telemetryOf(deviceId, metric, range.span)}>{t.allOfItsTelemetry}</a>}
    >
      <RangeBar range={range} whole={t.backToTheAnomaly} />
      <SeriesChart
        deviceId={deviceId}
        label={t.aroundTheAnomaly(metric)}
        query={query}
        watched={useWatched(anomaly, metric, range.span)}
        onZoom={range.show}
      />
    </Section>
  );
}

/**
 * Returns the present limits of the device, and the former limit of this anomaly, whose rule may have changed since.
 */
function useWatched(anomaly: Anomaly, metric: string, span: Span) {
  const { deviceId, limit, severity } = anomaly;
  const watchedOf = useDeviceWatch(deviceId, span.from, span.to);
  const { limits, anomalies } = watchedOf(metric);
  return useMemo(() => {
    const then = limitsOf(limit).filter((value) => !limits.some((each) => each.value === value));
    const [tone, word] = SEVERITIES[severity];
    const former = then.map((value) => ({ value, tone, label: t.thenLimit(word, reading(value)) }));
    return { limits: [...limits, ...former], anomalies };
  }, [limits, anomalies, limit, severity]);
}

function telemetryOf(deviceId: string, metric: string, span: Span): string {
  const query = new URLSearchParams({ tab: "telemetry", metric: metricsParameter([metric]), ...addressOf(span) });
  return `/devices/${encodeURIComponent(deviceId)}?${query}`;
}

type EscalationPage = Schemas["EscalationPage"];

/** Steps and messages follow an event within seconds. */
const POLL_MS = 5_000;
const MOST = 50;

/** The pages of an anomaly, past and future, and the outcome of each message. */
function Notified({ anomalyId }: { anomalyId: string }) {
  const steps = useQuery({
    ...pagesQuery(anomalyId),
    refetchInterval: ({ state }) => (state.data?.items.some((each) => each.state === "due") ? POLL_MS : false),
  });
  const messages = useQuery(deliveriesQuery({ anomalyId, skip: 0, limit: MOST }));
  return (
    <>
      <Section title={t.pages} lead={t.theStepsOfEscalationOf}>
        <Records
          label={t.pages}
          columns={STEPS}
          query={steps}
          rowKey={({ groupId, afterMinutes }) => `${groupId} ${afterMinutes}`}
          empty={<Empty title={t.thereAreNoPages}>{NO_PAGES}</Empty>}
        />
      </Section>
      <Section title={common.messages} lead={t.whatWasSentToWhom}>
        <Loaded query={messages}>
          {(page) => (
            <>
              <DeliveryTable rows={page.items} ofAnomaly empty={<Empty title={t.noMessageWasSentYet} />} />
              {page.total > MOST && <a href={`/deliveries?anomalyId=${anomalyId}`}>{t.allMessages}</a>}
              {page.total <= MOST && <Pager page={page} of={nouns.message} onSkip={() => undefined} />}
            </>
          )}
        </Loaded>
      </Section>
    </>
  );
}

const NO_PAGES = t.theDeviceIsInNo;

const STEPS: readonly Column<EscalationPage>[] = [
  { title: common.group, main: true, cell: ({ groupName }) => groupName },
  { title: t.after, cell: ({ afterMinutes }) => (afterMinutes === 0 ? t.atOnce : duration(afterMinutes * 60)) },
  { title: t.whom, cell: ({ notify }) => NOTIFIED[notify] },
  {
    title: t.due,
    cell: ({ dueAt, heldBy }) => (
      <>
        <Time at={dueAt} />
        {heldBy && <span className="soft"> {HELD_BY[heldBy]}</span>}
      </>
    ),
  },
  { title: t.whatBecameOfIt, cell: ({ state }) => <Word of={PAGE_STATES} value={state} plain /> },
];
