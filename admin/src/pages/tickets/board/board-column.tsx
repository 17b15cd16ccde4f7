import { Button, Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { DragEvent } from "react";
import { columnQuery, type Ticket, type TicketQuery, type TicketStatus } from "../../../api/monitoring/tickets.ts";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import { TICKET_STATUSES } from "../../../words/monitoring.ts";
import { Card } from "./card.tsx";

interface BoardColumnProps {
  status: TicketStatus;
  query: Omit<TicketQuery, "skip" | "limit" | "sort" | "status">;
  /** The card that is being drawn to another column. */
  drawn: Ticket | undefined;
  onDraw: (ticket: Ticket | undefined) => void;
  onMove: (ticket: Ticket, to: TicketStatus) => void;
}

/** The tickets of one state, some at a time. */
export function BoardColumn({ status, query, drawn, onDraw, onMove }: BoardColumnProps) {
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
      className={takes ? "board-column board-column-takes" : "board-column"}
      aria-label={label}
      onDragOver={(event) => takes && event.preventDefault()}
      onDrop={drop}
    >
      <h2>
        {label} <span className="soft">{counted && countOf(counted)}</span>
      </h2>
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label="Loading" />}
      {data && tickets.length === 0 && <p className="soft">None</p>}
      <ul className="board-cards">
        {tickets.map((ticket) => (
          <li key={ticket.id}>
            <Card ticket={ticket} onDraw={onDraw} onMove={onMove} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

function countOf({ total, totalIsAtLeast }: { total: number; totalIsAtLeast?: boolean }): string {
  return `${total.toLocaleString()}${totalIsAtLeast ? " or more" : ""}`;
}

/** A ticket that has moved between two readings may be in both. */
function unique(tickets: readonly Ticket[]): Ticket[] {
  return [...new Map(tickets.map((ticket) => [ticket.id, ticket])).values()];
}
