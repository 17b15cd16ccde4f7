import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Anomaly, anomalyQuery } from "../../api/monitoring/anomalies.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { ticketQuery } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Word } from "../../parts/word.tsx";
import { plural, reading } from "../../ui/display/format.ts";
import { Ago, Time } from "../../ui/display/time.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel } from "../../ui/page/page.tsx";
import { ANOMALY_STATUSES, SEVERITIES } from "../../words/monitoring.ts";
import { OpenTicket } from "../tickets/open-ticket.tsx";
import { Acknowledge } from "./acknowledge.tsx";
import { AnomalyChart } from "./anomaly-chart.tsx";
import { isLostRenewal } from "./lost-renewal.ts";
import { Notified } from "./notified.tsx";

/** One anomaly: what was measured then, who was paged and how it went, and the way to a ticket. */
export default function AnomalyPage() {
  const { id } = usePathParams<"id">();
  const query = useQuery(anomalyQuery(id));
  const anomaly = query.data;
  return (
    <Page
      title={anomaly?.message ?? "Anomaly"}
      back={{ href: "/anomalies", label: "Anomalies" }}
      lead={anomaly && <States anomaly={anomaly} />}
      actions={anomaly && <Actions anomaly={anomaly} />}
    >
      <Loaded query={query}>
        {(anomaly) => (
          <>
            <AnomalyFacts anomaly={anomaly} />
            <AnomalyChart anomaly={anomaly} />
            <Notified anomalyId={anomaly.id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function States({ anomaly: { severity, status, deviceId } }: { anomaly: Anomaly }) {
  return (
    <span className="row">
      <Word of={ANOMALY_STATUSES} value={status} />
      <Word of={SEVERITIES} value={severity} />
      <DeviceLink id={deviceId} />
    </span>
  );
}

function Actions({ anomaly }: { anomaly: Anomaly }) {
  const [dialog, setDialog] = useState<"acknowledge" | "ticket">();
  const close = () => setDialog(undefined);
  const mayAcknowledge = useMay("acknowledgeAnomalies") && anomaly.acknowledgedAt === null;
  const mayOpen = useMay("openTicket");
  const isUnfinished = useHasUnfinishedTicket(anomaly);
  return (
    <>
      {anomaly.ticketId && (
        <Button component="a" variant="default" href={`/tickets/${anomaly.ticketId}`}>
          Show ticket
        </Button>
      )}
      {mayOpen && !isUnfinished && (
        <Button variant="default" onClick={() => setDialog("ticket")}>
          Open a ticket
        </Button>
      )}
      {mayAcknowledge && <Button onClick={() => setDialog("acknowledge")}>Acknowledge</Button>}
      <Acknowledge opened={dialog === "acknowledge"} ids={[anomaly.id]} onClose={close} />
      <OpenTicket opened={dialog === "ticket"} onClose={close} about={anomaly} />
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
  const { openedAt, lastObservedAt, occurrences, acknowledgedAt, acknowledgedBy } = anomaly;
  const { resolvedAt, resolvedBy, comment, thresholdId } = anomaly;
  return (
    <Panel>
      <Facts
        facts={[
          ...subjectFacts(anomaly),
          ["Observed", plural(occurrences, "time")],
          ["Threshold pack", thresholdId ? <Pack key="pack" id={thresholdId} /> : "none"],
          ["Opened", <Time key="opened" at={openedAt} />],
          ["Last observed", <Ago key="last" at={lastObservedAt} />],
          ["Acknowledged", <Time key="acknowledged" at={acknowledgedAt} none="not yet" />],
          ...(acknowledgedBy ? ([["Acknowledged by", <Actor key="by" of={acknowledgedBy} />]] as const) : []),
          ...(comment ? ([["Comment", comment]] as const) : []),
          ["Resolved", <Time key="resolved" at={resolvedAt} none="not yet" />],
          ...(resolvedBy ? ([["Resolved by", <Resolver key="resolver" of={resolvedBy} />]] as const) : []),
        ]}
      />
    </Panel>
  );
}

/** A shell resolves no anomaly: what no user resolved, the service did. */
function Resolver({ of }: { of: string }) {
  return of === "system" ? <>the service</> : <Actor of={of} />;
}

/** What was observed, and the limit. */
function subjectFacts(anomaly: Anomaly): (readonly [string, React.ReactNode])[] {
  const { metric, value, limit } = anomaly;
  if (isLostRenewal(anomaly))
    return [
      ["Metric", "none: the certificate is not renewed"],
      ["A new certificate was due", <Time key="due" at={String(limit)} />],
      ["The certificate ends", <Time key="end" at={String(value)} />],
    ];
  return [
    ["Metric", metric ?? "none: the device is silent"],
    [metric === null ? "Seconds without a message" : "Last value beyond the limit", reading(value)],
    ["Limit", Array.isArray(limit) ? `${reading(limit[0])} to ${reading(limit[1])}` : reading(limit)],
  ];
}

/** The pack of the rule by name; one that is deleted has none. */
function Pack({ id }: { id: string }) {
  const packs = useQuery(thresholdChoicesQuery).data?.items;
  const name = packs?.find((pack) => pack.id === id)?.name;
  return name === undefined ? <span className="mono">{id}</span> : <a href={`/thresholds/${id}`}>{name}</a>;
}
