import { useInfiniteQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { timelineQuery } from "../../api/devices.ts";
import { Actor } from "../../parts/actor.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { Word } from "../../parts/word.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { ShowEarlier } from "../../ui/display/show-earlier.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Section } from "../../ui/page/page.tsx";
import { REVOCATION_REASONS } from "../../words/certificates.ts";
import { HISTORY } from "../../words/history.ts";
import { nameOfRefusal } from "../../words/refusals.ts";
import type { TabProps } from "./tab-props.ts";

type Entry = Schemas["TimelineEntry"];

const COLUMNS: readonly Column<Entry>[] = [
  { key: "what", title: "What", main: true, cell: ({ kind }) => <Word of={HISTORY} value={kind} plain /> },
  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
  { key: "text", title: "Details", cell: (entry) => <Details entry={entry} /> },
  {
    key: "actor",
    title: "By",
    cell: ({ actor }) => (actor ? <Actor of={actor} /> : <span className="soft">–</span>),
  },
];

/** What the service recorded with it: for a certificate its serial number, for a refusal the reason. */
function Details({ entry: { kind, id, text } }: { entry: Entry }) {
  if (kind.startsWith("certificate.") && id !== null && text !== null) {
    const [serial = "", reason] = text.split(" ");
    return (
      <>
        <a className="mono" href={`/certificates/${id}`}>
          …{serial.slice(-10)}
        </a>
        {reason && reason !== "requested" && `, ${(REVOCATION_REASONS[reason] ?? reason).toLowerCase()}`}
      </>
    );
  }
  if (text === null) return <span className="soft">–</span>;
  if (id !== null && kind.startsWith("anomaly.")) return <a href={`/anomalies/${id}`}>{text}</a>;
  if (id !== null && kind === "ticket.opened") return <a href={`/tickets/${id}`}>{text}</a>;
  return <>{kind === "connection.refused" ? nameOfRefusal(text) : text}</>;
}

/** What happened to the device, newest first. */
export function HistoryTab({ device }: TabProps) {
  const query = useInfiniteQuery(timelineQuery(device.id));
  const { data, error, refetch } = query;
  if (error && !data) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  return (
    <Section title="History" lead="Connects and disconnects are kept for 48 hours, the rest as long as its records.">
      <Table
        label="History of the device"
        columns={COLUMNS}
        rows={data?.pages.flatMap(({ items }) => items)}
        rowKey={({ kind, at, id }) => `${kind} ${at} ${id}`}
        empty={<Empty title="Nothing has happened to this device yet" />}
      />
      <ShowEarlier query={query} />
    </Section>
  );
}
