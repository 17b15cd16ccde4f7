import type { UseQueryResult } from "@tanstack/react-query";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import type { ListState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { type Filter, Filters } from "../../ui/input/filters.tsx";

interface Page<Row> {
  items: readonly Row[];
  total: number;
  skip: number;
  limit: number;
}

interface AuditListProps<Row> {
  label: string;
  list: ListState;
  filters: readonly Filter[];
  columns: readonly Column<Row>[];
  query: UseQueryResult<Page<Row>>;
  /** The address of the audit, and what it is asked for. */
  path: string;
  asked: object;
  rowKey: (row: Row) => string;
  href?: (row: Row) => string;
}

/** An audit: its filters, its entries, its pages. */
export function AuditList<Row>(props: AuditListProps<Row>) {
  const { label, list, filters, columns, query, path, asked, rowKey, href } = props;
  const filtered = filters.some(({ name }) => list.values[name]);
  const table = { label, columns, rowKey, ...(href ? { href } : {}) };
  return (
    <>
      <Filters filters={filters} values={list.values} onChange={list.onFilter} />
      <Loaded query={query} loading={<Table {...table} rows={undefined} />}>
        {(page) => (
          <>
            <Table
              {...table}
              rows={page.items}
              empty={<Empty title={filtered ? "No entry matches." : "There is no entry yet."} />}
            />
            <Pager page={page} of="entry" many="entries" onSkip={list.onSkip}>
              <DownloadCsv list={path} query={asked} total={page.total} />
            </Pager>
          </>
        )}
      </Loaded>
    </>
  );
}
