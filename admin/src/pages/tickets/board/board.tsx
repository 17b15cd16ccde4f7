import { NativeSelect, Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type DragEvent, useState } from "react";
import { common } from "#texts/common.ts";
import { withinSentence } from "#texts/language.ts";
import { t } from "#texts/pages/tickets.ts";
import { columnQuery, type Ticket, type TicketQuery, type TicketStatus } from "../../../api/monitoring/tickets.ts";
import { DeviceLink } from "../../../parts/links/device-link.tsx";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import { useMay } from "../../../parts/session.ts";
import { Word } from "../../../parts/word.tsx";
import { numberText } from "../../../texts/number-text.ts";
import { Action } from "../../../ui/ui.ts";
import { PRIORITIES, TICKET_MOVES, TICKET_STATUSES } from "../../../words/monitoring.ts";
import { Assignee, Due, Title } from "../columns.tsx";
import { MoveDialog } from "../ticket-actions.tsx";
import { allowedIn, endsTicket, useMove } from "../use-move.ts";
import "./board.css";

/** The columns, from open to finished. */
const COLUMNS: readonly TicketStatus[] = ["open", "in_progress", "on_hold", "completed", "cancelled"];

interface Ending {
  ticket: Ticket;
  to: TicketStatus;
}

/** Tickets by state, the most urgent first. A card is moved by its menu, or by dragging it to another column. */
export function Board({ query }: { query: TicketQuery }) {
  const move = useMove();
  const [ending, setEnding] = useState<Ending>();
  const [refused, setRefused] = useState<unknown>();
  const [drawn, setDrawn] = useState<Ticket>();
  const start = async (ticket: Ticket, to: TicketStatus) => {
    setRefused(undefined);
    if (endsTicket(to)) return setEnding({ ticket, to });
    await move(ticket, to).catch(setRefused);
  };
  const allowed = allowedIn(refused).map((each) => withinSentence(TICKET_STATUSES[each][1]));
  return (
    <>
      {refused !== undefined && (
        <ProblemBox error={refused}>
          {allowed.length > 0 && <p>{t.possibleNowTheBoardShows(allowed.join(", "))}</p>}
        </ProblemBox>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it on a phone */}
      <section className="board" aria-label={t.board} tabIndex={0}>
        {COLUMNS.map((status) => (
          <BoardColumn
            key={status}
            status={status}
            query={query}
            drawn={drawn}
            onDraw={setDrawn}
            onMove={(ticket, to) => void start(ticket, to)}
          />
        ))}
      </section>
      {ending && (
        <MoveDialog
          ticket={ending.ticket}
          to={ending.to}
          onClose={() => setEnding(undefined)}
          onMove={(to, resolution) => move(ending.ticket, to, resolution)}
        />
      )}
    </>
  );
}

interface BoardColumnProps {
  status: TicketStatus;
  query: TicketQuery;
  /** The card that the user drags to another column. */
  drawn: Ticket | undefined;
  onDraw: (ticket: Ticket | undefined) => void;
  onMove: (ticket: Ticket, to: TicketStatus) => void;
}

function BoardColumn({ status, query, drawn, onDraw, onMove }: BoardColumnProps) {
  const column = useInfiniteQuery(columnQuery(status, query));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = column;
  const [, label] = TICKET_STATUSES[status];
  const takes = drawn?.moves.includes(status) === true;
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (drawn && takes) onMove(drawn, status);
    onDraw(undefined);
  };
  const tickets = unique(data?.pages.flatMap(({ items }) => items) ?? []);
  const counted = data?.pages.at(-1);
  return (
    <section
      className={`board-column stack-tight framed${takes ? " board-column-takes" : ""}`}
      aria-label={label}
      onDragOver={(event) => takes && event.preventDefault()}
      onDrop={drop}
    >
      <h2>
        {label} <span className="soft">{counted && countOf(counted)}</span>
      </h2>
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label={common.loading} />}
      {data && tickets.length === 0 && <p className="soft">{t.none}</p>}
      <ul className="list stack-tight">
        {tickets.map((ticket) => (
          <li key={ticket.id}>
            <Card ticket={ticket} onDraw={onDraw} onMove={onMove} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Action small label={t.showMore} loading={isFetchingNextPage} onClick={() => void fetchNextPage()} />
      )}
    </section>
  );
}

function countOf({ total, totalIsAtLeast }: { total: number; totalIsAtLeast?: boolean }): string {
  return `${numberText(total)}${totalIsAtLeast ? t.orMore : ""}`;
}

/** Drops duplicates: a ticket that moved between two readings may be in both. */
function unique(tickets: readonly Ticket[]): Ticket[] {
  return [...new Map(tickets.map((ticket) => [ticket.id, ticket])).values()];
}

interface CardProps {
  ticket: Ticket;
  onDraw: (ticket: Ticket | undefined) => void;
  onMove: (ticket: Ticket, to: TicketStatus) => void;
}

function Card({ ticket, onDraw, onMove }: CardProps) {
  const mayMove = useMay("changeTicket");
  const { id, number, title, priority, deviceId, dueAt } = ticket;
  const begin = (event: DragEvent) => {
    // Firefox drags nothing without data.
    event.dataTransfer.setData("text/plain", title);
    event.dataTransfer.effectAllowed = "move";
    onDraw(ticket);
  };
  return (
    <article className="card framed" draggable={mayMove} onDragStart={begin} onDragEnd={() => onDraw(undefined)}>
      <a className="card-title" href={`/tickets/${id}`} draggable={false}>
        <Title number={number} title={title} />
      </a>
      <div className="row card-facts">
        <Word of={PRIORITIES} value={priority} plain />
        <Assignee ticket={ticket} />
      </div>
      {(deviceId || dueAt) && (
        <div className="row card-facts">
          {deviceId && <DeviceLink id={deviceId} still />}
          {dueAt && <Due ticket={ticket} />}
        </div>
      )}
      {mayMove && (
        <NativeSelect
          size="xs"
          aria-label={t.move(number)}
          value=""
          data={[{ value: "", label: t.move2 }, ...ticket.moves.map((to) => ({ value: to, label: TICKET_MOVES[to] }))]}
          onChange={(event) => onMove(ticket, event.currentTarget.value as TicketStatus)}
        />
      )}
    </article>
  );
}
