import { Textarea } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import {
  commentTicket,
  TICKETS,
  type Ticket,
  ticketCommentsQuery,
  ticketHistoryQuery,
  ticketQuery,
} from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { RecordParts } from "../../parts/list/records.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Word } from "../../parts/word.tsx";
import { type Column, Facts, Section, ShowEarlier, Time } from "../../ui/ui.ts";
import { PRIORITIES, TICKET_STATUSES, TICKET_TYPES } from "../../words/monitoring.ts";
import { Assignee, Due } from "./columns.tsx";
import { TicketActions } from "./ticket-actions.tsx";
import "./ticket-page.css";

/** A ticket: what is to be done, by whom, until when; its comments and its history. */
export default function TicketPage() {
  const { id } = usePathParams<"id">();
  return (
    <RecordPage
      query={useQuery(ticketQuery(id))}
      back={{ href: "/tickets", label: "Tickets" }}
      kind="Ticket"
      title={({ record: { number, title } }) => `#${number} ${title}`}
      lead={({ record: { status, priority, type } }) => (
        <span className="row">
          <Word of={TICKET_STATUSES} value={status} />
          <Word of={PRIORITIES} value={priority} />
          <span>{TICKET_TYPES[type]}</span>
        </span>
      )}
      actions={(ticket) => <TicketActions version={ticket} />}
    >
      {({ record }) => (
        <>
          <Facts framed facts={factsOf(record)} />
          {record.description && <Text title="Description" text={record.description} />}
          {record.resolution && <Text title="Resolution" text={record.resolution} />}
          <Comments ticketId={record.id} />
          <History ticketId={record.id} />
        </>
      )}
    </RecordPage>
  );
}

function factsOf(ticket: Ticket) {
  const { deviceId, anomalyId, groupId, createdAt, createdBy, startedAt, completedAt } = ticket;
  return {
    "Assigned to": <Assignee ticket={ticket} />,
    Due: <Due ticket={ticket} none="no date" />,
    Device: deviceId && <DeviceLink id={deviceId} />,
    Anomaly: anomalyId && <a href={`/anomalies/${anomalyId}`}>Show the anomaly</a>,
    Group: <GroupNames ids={groupId ? [groupId] : []} none="none" />,
    Opened: <Time at={createdAt} />,
    "Opened by": <Actor of={createdBy} />,
    "Work began": <Time at={startedAt} none="not yet" />,
    Completed: <Time at={completedAt} none="not yet" />,
  };
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <Section title={title}>
      <p className="ticket-text">{text}</p>
    </Section>
  );
}

/** The comments on the ticket, newest first; a comment is never changed. */
function Comments({ ticketId }: { ticketId: string }) {
  const query = useInfiniteQuery(ticketCommentsQuery(ticketId));
  const { data, error, refetch } = query;
  const mayComment = useMay("commentTicket");
  const comments = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title="Comments">
      {mayComment && <CommentForm ticketId={ticketId} />}
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data && comments.length === 0 && <p className="soft">There is no comment yet.</p>}
      <ul className="comments list stack">
        {comments.map(({ id, at, author, text }) => (
          <li key={id} className="framed">
            <p className="row soft">
              <Actor of={author} />
              <Time at={at} />
            </p>
            <p className="ticket-text">{text}</p>
          </li>
        ))}
      </ul>
      <ShowEarlier query={query} />
    </Section>
  );
}

function CommentForm({ ticketId }: { ticketId: string }) {
  const [form, field] = useFields({ text: "" }, "commentTicket");
  const submit = async ({ text }: { text: string }) => {
    await commentTicket(ticketId, text);
    form.reset();
  };
  return (
    <div className="comment-form">
      <Form form={form} onSubmit={submit} action="Comment" refreshes={[TICKETS]}>
        <Textarea label="Your comment" description="It stays as it is." autosize minRows={2} {...field("text")} />
      </Form>
    </div>
  );
}

type Entry = Schemas["TicketHistoryEntry"];

function History({ ticketId }: { ticketId: string }) {
  const query = useInfiniteQuery(ticketHistoryQuery(ticketId));
  return (
    <Section title="History">
      <RecordParts label="History of the ticket" columns={COLUMNS} query={query} />
    </Section>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: "What", main: true, cell: (entry) => <Changes entry={entry} /> },
  { title: "When", cell: ({ at }) => <Time at={at} /> },
  { title: "By", cell: ({ actor }) => <Actor of={actor} /> },
];

function Changes({ entry: { changes } }: { entry: Entry }) {
  const opened = changes.status?.from === null;
  if (opened) return <>Opened</>;
  return (
    <ul className="history-changes list">
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

/** The words for values of closed sets. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: labelsOf(TICKET_STATUSES),
  priority: labelsOf(PRIORITIES),
  type: TICKET_TYPES,
};

function labelsOf(words: Readonly<Record<string, readonly [unknown, string]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([value, [, label]]) => [value, label]));
}

/** A new value in readable form. */
function Value({ field, value }: { field: string; value: string | null }) {
  if (value === null || value === "") return <span className="soft">none</span>;
  if (field === "assigneeUserId") return <Actor of={`user:${value}`} />;
  if (field === "groupId") return <GroupNames ids={[value]} none="none" />;
  if (field === "dueAt") return <Time at={value} />;
  if (field === "anomalyId") return <a href={`/anomalies/${value}`}>an anomaly</a>;
  return <>{WORDS[field]?.[value] ?? value}</>;
}
