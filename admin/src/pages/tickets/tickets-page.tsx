import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/tickets.ts";
import { TICKETS, ticketsQuery } from "../../api/monitoring/tickets.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { peopleQuery } from "../../api/people/people.ts";
import { filled } from "../../api/queries.ts";
import { Records } from "../../parts/list/records.tsx";
import { SavedFilters } from "../../parts/saved-filters/saved-filters.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Empty, type Filter, Filters, Opens, Page, Tabs } from "../../ui/ui.ts";
import { Board } from "./board/board.tsx";
import { ticketColumns } from "./columns.tsx";
import { filtersIn, queryOf, ticketFilters } from "./filters.ts";
import { OpenTicket } from "./ticket-fields.tsx";

export default function TicketsPage() {
  const list = useListState();
  const me = useSession().user.id;
  const people = useQuery(peopleQuery()).data?.items ?? [];
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const isBoard = list.values.view === "board";
  const filters = ticketFilters({ me, people, groups }, isBoard);
  const tabs = [
    { href: hrefOf(list, undefined), label: t.list, current: !isBoard },
    { href: hrefOf(list, "board"), label: t.board, current: isBoard },
  ];
  return (
    <Page
      title={common.tickets}
      actions={
        useMay("openTicket") && (
          <Opens main label={t.openATicket} title={t.openATicket}>
            {(close) => <OpenTicket onClose={close} />}
          </Opens>
        )
      }
      tabs={<Tabs label={t.views} tabs={tabs} />}
    >
      {!isBoard && <List list={list} filters={filters} />}
      {isBoard && (
        <>
          <Filters filters={filters} values={list.values} onChange={list.onFilter} />
          <SavedFilters of="tickets" filters={filters} list={list} />
          <Board query={filtersIn(list.values)} />
        </>
      )}
    </Page>
  );
}

/** Returns the address of the other view, with the same filters. */
function hrefOf({ values }: ListState, view: string | undefined): string {
  const { skip: _, ...kept } = values;
  const query = new URLSearchParams(filled({ ...kept, view }) as Record<string, string>);
  return query.size === 0 ? "/tickets" : `/tickets?${query}`;
}

function List({ list, filters }: { list: ListState; filters: readonly Filter[] }) {
  const query = queryOf(list);
  return (
    <Records
      label={common.tickets}
      of={nouns.ticket}
      list={list}
      filters={filters}
      query={useQuery(ticketsQuery(query))}
      columns={ticketColumns()}
      href={({ id }) => `/tickets/${id}`}
      sorting={list.sorting}
      csv={[TICKETS, query]}
      empty={<Empty title={t.thereIsNoTicket}>{t.openOneHereForPlanned}</Empty>}
    >
      <SavedFilters of="tickets" filters={filters} list={list} />
    </Records>
  );
}
