import { useInfiniteQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { ticketHistoryQuery } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { ShowEarlier } from "../../ui/display/show-earlier.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Section } from "../../ui/page/page.tsx";
import { PRIORITIES, TICKET_STATUSES, TICKET_TYPES } from "../../words/monitoring.ts";

type Entry = Schemas["TicketHistoryEntry"];

/** What happened to the ticket, newest first. */
export function History({ ticketId }: { ticketId: string }) {
  const query = useInfiniteQuery(ticketHistoryQuery(ticketId));
  const { data, error, refetch } = query;
  if (error && !data) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  return (
    <Section title="History">
      <Table
        label="History of the ticket"
        columns={COLUMNS}
        rows={data?.pages.flatMap(({ items }) => items)}
        rowKey={({ id }) => id}
      />
      <ShowEarlier query={query} />
    </Section>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { key: "what", title: "What", main: true, cell: (entry) => <Changes entry={entry} /> },
  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
  { key: "by", title: "By", cell: ({ actor }) => <Actor of={actor} /> },
];

function Changes({ entry: { changes } }: { entry: Entry }) {
  const opened = changes.status?.from === null;
  if (opened) return <>Opened</>;
  return (
    <ul className="history-changes">
      {Object.entries(changes).map(([field, { to }]) => (
        <li key={field}>
          {NAMES[field] ?? field}: <Value field={field} value={to} />
        </li>
      ))}
    </ul>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  title: "Title",
  description: "Description",
  type: "Type",
  priority: "Priority",
  status: "State",
  deviceId: "Device",
  anomalyId: "Anomaly",
  groupId: "Group",
  assigneeUserId: "Assigned to",
  dueAt: "Due",
  resolution: "Resolution",
};

/** Values of closed sets in words. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: labelsOf(TICKET_STATUSES),
  priority: labelsOf(PRIORITIES),
  type: TICKET_TYPES,
};

function labelsOf(words: Readonly<Record<string, readonly [unknown, string]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([value, [, label]]) => [value, label]));
}

/** A new value as a person reads it. */
function Value({ field, value }: { field: string; value: string | null }) {
  if (value === null || value === "") return <span className="soft">none</span>;
  if (field === "assigneeUserId") return <Actor of={`user:${value}`} />;
  if (field === "groupId") return <GroupNames ids={[value]} none="none" />;
  if (field === "dueAt") return <Time at={value} />;
  if (field === "anomalyId") return <a href={`/anomalies/${value}`}>an anomaly</a>;
  return <>{WORDS[field]?.[value] ?? value}</>;
}
