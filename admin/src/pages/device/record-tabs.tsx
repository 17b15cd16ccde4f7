import { type UseQueryResult, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { withinSentence } from "#texts/language.ts";
import { nouns } from "#texts/nouns.ts";
import { t as audit } from "#texts/pages/audit.ts";
import { t } from "#texts/pages/device.ts";
import { adminAuditQuery, apiAuditQuery, certificateAuditQuery } from "../../api/audits.ts";
import { refusalsOfDeviceQuery } from "../../api/broker/refusals.ts";
import type { Schemas } from "../../api/client.ts";
import { timelineQuery } from "../../api/devices.ts";
import { anomaliesQuery } from "../../api/monitoring/anomalies.ts";
import { ticketsQuery } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { RecordParts, Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { Word } from "../../parts/word.tsx";
import { type Column, Empty, Section, Time } from "../../ui/ui.ts";
import { REVOCATION_REASONS } from "../../words/certificates.ts";
import { HISTORY } from "../../words/history.ts";
import { nameOfRefusal } from "../../words/refusals.ts";
import { anomalyColumns } from "../anomalies/columns.tsx";
import { ADMIN_COLUMNS, API_COLUMNS, CERTIFICATE_COLUMNS } from "../audit/audit-page.tsx";
import { RefusalCards } from "../refusals/refusal-card.tsx";
import { ticketColumns } from "../tickets/columns.tsx";
import type { TabProps } from "./tab-props.ts";

const SHOWN = 20;
const ANOMALY_COLUMNS = anomalyColumns({ ofDevice: true });
const TICKET_COLUMNS = ticketColumns({ ofDevice: true });

export function AnomaliesTab({ device: { id } }: TabProps) {
  return (
    <Section
      title={common.anomalies}
      actions={<a href={`/anomalies?deviceId=${encodeURIComponent(id)}`}>{t.allWithFilters}</a>}
    >
      <Records
        label={t.anomaliesOfTheDevice}
        columns={ANOMALY_COLUMNS}
        query={useQuery(anomaliesQuery({ deviceId: id, skip: 0, limit: SHOWN }))}
        href={(anomaly) => `/anomalies/${anomaly.id}`}
        empty={<Empty title={t.theDeviceHasHadNo}>{t.itIsWatchedByIts}</Empty>}
      />
    </Section>
  );
}

export function TicketsTab({ device: { id } }: TabProps) {
  return (
    <Section
      title={common.tickets}
      actions={<a href={`/tickets?deviceId=${encodeURIComponent(id)}`}>{t.allWithFilters}</a>}
    >
      <Records
        label={t.ticketsAboutTheDevice}
        columns={TICKET_COLUMNS}
        query={useQuery(ticketsQuery({ deviceId: id, skip: 0, limit: SHOWN }))}
        href={(ticket) => `/tickets/${ticket.id}`}
        empty={<Empty title={t.thereIsNoTicketAbout} />}
      />
    </Section>
  );
}

/** The refusals of the device by the broker, with cause and cure. */
export function RefusalsTab({ device }: TabProps) {
  return (
    <Section
      title={t.refusedConnectionsAndMessages}
      lead={t.ofTheLast30Days}
      actions={useMay("startClientTrace") && <a href={`/clients/${device.id}/live`}>{t.watchLive}</a>}
    >
      <Records
        label={common.refusals}
        query={useQuery(refusalsOfDeviceQuery(device.id))}
        table={(rows, empty) => <RefusalCards refusals={rows} empty={empty} />}
        empty={<Empty title={t.theBrokerHasRefusedNothing} />}
      />
    </Section>
  );
}

type Entry = Schemas["TimelineEntry"];

const HISTORY_COLUMNS: readonly Column<Entry>[] = [
  { title: common.what, main: true, cell: ({ kind }) => <Word of={HISTORY} value={kind} plain /> },
  { title: common.when, cell: ({ at }) => <Time at={at} /> },
  { title: t.details, cell: (entry) => <Details entry={entry} /> },
  { title: common.by, cell: ({ actor }) => (actor ? <Actor of={actor} /> : <span className="soft">–</span>) },
];

/** The recorded details: for a certificate its serial number, for a refusal the reason. */
function Details({ entry: { kind, id, text } }: { entry: Entry }) {
  if (kind.startsWith("certificate.") && id !== null && text !== null) {
    const [serial = "", reason] = text.split(" ");
    return (
      <>
        <a className="mono" href={`/certificates/${id}`}>
          …{serial.slice(-10)}
        </a>
        {reason && reason !== "requested" && `, ${withinSentence(REVOCATION_REASONS[reason] ?? reason)}`}
      </>
    );
  }
  if (text === null) return <span className="soft">–</span>;
  if (id !== null && kind.startsWith("anomaly.")) return <a href={`/anomalies/${id}`}>{text}</a>;
  if (id !== null && kind === "ticket.opened") return <a href={`/tickets/${id}`}>{text}</a>;
  return <>{kind === "connection.refused" ? nameOfRefusal(text) : text}</>;
}

/** The events of the device, newest first. */
export function HistoryTab({ device }: TabProps) {
  return (
    <Section title={t.history} lead={t.connectsAndDisconnectsAreKept}>
      <RecordParts
        label={t.historyOfTheDevice}
        columns={HISTORY_COLUMNS}
        query={useInfiniteQuery(timelineQuery(device.id))}
        rowKey={({ kind, at, id }) => `${kind} ${at} ${id}`}
        empty={<Empty title={t.nothingHasHappenedToThis} />}
      />
    </Section>
  );
}

/** The number of entries of each audit on this tab. */
const SHOWN_ENTRIES = 10;

/** The acts on the device: in administration, with API keys, and on its certificates. */
export function AuditTab({ device: { id } }: Pick<TabProps, "device">) {
  const page = { skip: 0, limit: SHOWN_ENTRIES };
  const all = (query: Record<string, string>) => `/audit?${new URLSearchParams(query)}`;
  return (
    <div className="stack-loose">
      <Part
        title={common.administration}
        query={useQuery(adminAuditQuery({ target: id, ...page }))}
        columns={ADMIN_COLUMNS.filter(({ title }) => title !== audit.record)}
        all={all({ target: id })}
      />
      <Part
        title={common.certificates}
        query={useQuery(certificateAuditQuery({ deviceId: id, ...page }))}
        columns={CERTIFICATE_COLUMNS.filter(({ title }) => title !== common.device)}
        all={all({ of: "certificates", deviceId: id })}
      />
      <Part
        title={t.writesWithApiKeys}
        query={useQuery(apiAuditQuery({ resource: "device", resourceId: id, ...page }))}
        columns={API_COLUMNS.filter(({ title }) => title !== audit.record)}
        all={all({ of: "api", resourceId: id })}
      />
    </div>
  );
}

interface PartProps<Row> {
  title: string;
  query: UseQueryResult<{ items: readonly Row[]; total: number }>;
  columns: readonly Column<Row>[];
  all: string;
}

function Part<Row extends { id: string }>({ title, query, columns, all }: PartProps<Row>): ReactNode {
  const total = query.data?.total ?? 0;
  return (
    <Section title={title}>
      <Records label={title} columns={columns} query={query} empty={<Empty title={t.thereIsNoEntryYet} />} />
      {total > 0 && (
        <p>
          <a href={all}>{t.inTheAudit(nouns.entry(total))}</a>
        </p>
      )}
    </Section>
  );
}
