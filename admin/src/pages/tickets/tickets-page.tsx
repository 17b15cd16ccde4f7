import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TICKETS, ticketsQuery } from "../../api/monitoring/tickets.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { peopleQuery } from "../../api/people/people.ts";
import { ListFrame } from "../../parts/list/list-frame.tsx";
import { NoneMatches } from "../../parts/list/none-matches.tsx";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Filters } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { Tabs } from "../../ui/page/tabs.tsx";
import { Board } from "./board/board.tsx";
import { ticketColumns } from "./columns.tsx";
import { filtersIn, queryOf, ticketFilters } from "./filters.ts";
import { OpenTicket } from "./open-ticket.tsx";

/** Work on devices, as a list or as a board. */
export default function TicketsPage() {
  const list = useListState();
  const [opening, setOpening] = useState(false);
  const me = useSession().user.id;
  const people = useQuery(peopleQuery).data?.items ?? [];
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const isBoard = list.values.view === "board";
  const filters = ticketFilters({ me, people, groups }, isBoard);
  return (
    <Page
      title="Tickets"
      actions={useMay("openTicket") && <Button onClick={() => setOpening(true)}>Open a ticket</Button>}
      tabs={
        <Tabs
          label="Views"
          tabs={[
            { href: hrefOf(list, undefined), label: "List", current: !isBoard },
            { href: hrefOf(list, "board"), label: "Board", current: isBoard },
          ]}
        />
      }
    >
      <Filters filters={filters} values={list.values} onChange={list.onFilter} />
      <SavedFilters of="tickets" filters={filters} list={list} />
      {isBoard ? (
        <Board query={filtersIn(list.values)} />
      ) : (
        <List list={list} names={filters.map(({ name }) => name)} />
      )}
      <OpenTicket opened={opening} onClose={() => setOpening(false)} />
    </Page>
  );
}

/** The address of the other view, with the same filters. */
function hrefOf({ values }: ListState, view: string | undefined): string {
  const { view: _, skip: __, ...kept } = values;
  const query = new URLSearchParams(
    Object.entries({ ...kept, ...(view ? { view } : {}) }).map(([name, value]) => [name, value ?? ""]),
  );
  return query.size === 0 ? "/tickets" : `/tickets?${query}`;
}

function List({ list, names }: { list: ListState; names: readonly string[] }) {
  const query = queryOf(list);
  const read = useQuery(ticketsQuery(query));
  const narrowed = names.some((name) => list.values[name]);
  const clear = () => list.onFilter(Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <ListFrame read={read} of="ticket" path={TICKETS} query={query} onSkip={list.onSkip}>
      {(rows) => (
        <Table
          label="Tickets"
          columns={ticketColumns()}
          rows={rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/tickets/${id}`}
          sorting={list.sorting}
          empty={<NoTickets narrowed={narrowed} onClear={clear} />}
        />
      )}
    </ListFrame>
  );
}

function NoTickets({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  if (narrowed) return <NoneMatches of="ticket" onClear={onClear} />;
  return (
    <Empty title="There is no ticket">Open one here for planned work, or from an anomaly for what it needs.</Empty>
  );
}
