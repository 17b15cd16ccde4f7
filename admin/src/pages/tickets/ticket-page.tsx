import { Textarea } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/tickets.ts";
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
      back={{ href: "/tickets", label: common.tickets }}
      kind={common.ticket}
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
          {record.description && <Text title={common.description} text={record.description} />}
          {record.resolution && <Text title={t.resolution} text={record.resolution} />}
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
    [t.assignedTo]: <Assignee ticket={ticket} />,
    [t.due]: <Due ticket={ticket} none={t.noDate} />,
    [common.device]: deviceId && <DeviceLink id={deviceId} />,
    [common.anomaly]: anomalyId && <a href={`/anomalies/${anomalyId}`}>{t.showTheAnomaly}</a>,
    [common.group]: <GroupNames ids={groupId ? [groupId] : []} none={common.none} />,
    [t.opened]: <Time at={createdAt} />,
    [t.openedBy]: <Actor of={createdBy} />,
    [t.workBegan]: <Time at={startedAt} none={t.notYet} />,
    [t.completed]: <Time at={completedAt} none={t.notYet} />,
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
    <Section title={t.comments}>
      {mayComment && <CommentForm ticketId={ticketId} />}
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data && comments.length === 0 && <p className="soft">{t.thereIsNoCommentYet}</p>}
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
      <Form form={form} onSubmit={submit} action={t.comment} refreshes={[TICKETS]}>
        <Textarea label={t.yourComment} description={t.itStaysAsItIs} autosize minRows={2} {...field("text")} />
      </Form>
    </div>
  );
}

type Entry = Schemas["TicketHistoryEntry"];

function History({ ticketId }: { ticketId: string }) {
  const query = useInfiniteQuery(ticketHistoryQuery(ticketId));
  return (
    <Section title={t.history}>
      <RecordParts label={t.historyOfTheTicket} columns={COLUMNS} query={query} />
    </Section>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: common.what, main: true, cell: (entry) => <Changes entry={entry} /> },
  { title: common.when, cell: ({ at }) => <Time at={at} /> },
  { title: common.by, cell: ({ actor }) => <Actor of={actor} /> },
];

function Changes({ entry: { changes } }: { entry: Entry }) {
  const opened = changes.status?.from === null;
  if (opened) return <>{t.opened}</>;
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
  title: t.title,
  description: common.description,
  type: common.type,
  priority: t.priority,
  status: common.state,
  deviceId: common.device,
  anomalyId: common.anomaly,
  groupId: common.group,
  assigneeUserId: t.assignedTo,
  dueAt: t.due,
  resolution: t.resolution,
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
  if (value === null || value === "") return <span className="soft">{common.none}</span>;
  if (field === "assigneeUserId") return <Actor of={`user:${value}`} />;
  if (field === "groupId") return <GroupNames ids={[value]} none={common.none} />;
  if (field === "dueAt") return <Time at={value} />;
  if (field === "anomalyId") return <a href={`/anomalies/${value}`}>{t.anAnomaly}</a>;
  return <>{WORDS[field]?.[value] ?? value}</>;
}
