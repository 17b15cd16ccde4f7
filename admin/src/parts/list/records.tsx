import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/parts.ts";
import type { Counted } from "../../texts/counted.ts";
import {
  Action,
  cleared,
  Empty,
  type Filter,
  Filters,
  type PageOf,
  Pager,
  ShowEarlier,
  type ShowEarlierProps,
  Table,
  type TableProps,
} from "../../ui/ui.ts";
import { DownloadCsv } from "../download-csv.tsx";
import { ProblemBox } from "../problem-box.tsx";
import type { ListState } from "../url-state.ts";

interface RecordsProps<Row> extends Omit<TableProps<Row>, "rows" | "columns"> {
  query: Pick<UseQueryResult<{ items: readonly Row[] } & Partial<PageOf>>, "data" | "error" | "refetch">;
  columns?: TableProps<Row>["columns"];
  /** Replaces the table; the rows are absent while they are read. */
  table?: (rows: readonly Row[] | undefined, empty: ReactNode) => ReactNode;
  /** The noun for the records. */
  of?: Counted;
  /** Shows another page of the list. */
  onSkip?: (skip: number) => void;
  /** The state of the list in the address of the screen: pages, order and filters. */
  list?: Pick<ListState, "values" | "onFilter" | "onSkip">;
  filters?: readonly Filter[];
  /** Parameters of the address that narrow the list in addition to its filters. */
  narrowedBy?: readonly string[];
  /** The address of the list and its parameters, for a download of all pages. */
  csv?: readonly [path: string, query: object];
  /** Shown between the filters and the table. */
  children?: ReactNode;
}

/** A list: its filters, its table or why it could not be read, its pages, and all of it as a file. */
export function Records<Row>(props: RecordsProps<Row>) {
  const {
    query,
    columns = [],
    table,
    of = nouns.entry,
    onSkip,
    list,
    filters = [],
    narrowedBy = [],
    csv,
    children,
  } = props;
  const { data, error, refetch } = query;
  const names = [...filters.map(({ name }) => name), ...narrowedBy];
  const clear = () => list?.onFilter({ ...cleared(filters), ...Object.fromEntries(narrowedBy.map((each) => [each])) });
  const isNarrowed = names.some((name) => list?.values[name]);
  const empty = isNarrowed ? <NoneMatches of={of} onClear={clear} /> : props.empty;
  const skip = onSkip ?? list?.onSkip;
  return (
    <>
      {list && filters.length > 0 && <Filters filters={filters} values={list.values} onChange={list.onFilter} />}
      {children}
      {error && !data && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {!(error && !data) &&
        (table?.(data?.items, empty) ?? <Table {...props} columns={columns} rows={data?.items} empty={empty} />)}
      {skip && (
        <Pager page={data as PageOf | undefined} of={of} onSkip={skip}>
          {csv && (
            <DownloadCsv list={csv[0]} query={csv[1]} total={data?.total} totalIsAtLeast={data?.totalIsAtLeast} />
          )}
        </Pager>
      )}
    </>
  );
}

/** Replaces a list that its filters leave empty. */
function NoneMatches({ of, onClear }: { of: Counted; onClear: () => void }) {
  return <Empty title={t.noMatchesTheFilters(of.one)} action={<Action label={t.clearFilters} onClick={onClear} />} />;
}

interface RecordPartsProps<Row> extends Omit<TableProps<Row>, "rows"> {
  query: Pick<UseQueryResult<{ pages: { items: readonly Row[] }[] }>, "data" | "error" | "refetch"> &
    ShowEarlierProps["query"];
}

/** A list that is shown newest first and grows by one part at a time. */
export function RecordParts<Row>({ query, ...table }: RecordPartsProps<Row>) {
  const { data, error, refetch } = query;
  if (error && !data) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Table {...table} rows={data?.pages.flatMap(({ items }) => items)} />
      <ShowEarlier query={query} />
    </>
  );
}
