import { Checkbox, Skeleton } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";
import { t } from "#texts/ui.ts";
import "./table.css";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** The sort order that a click on the title selects. */
  sort?: string;
  numeric?: boolean;
  /** Set for the one column that names the row: it has the link of the row, and is the title of its card on a phone. */
  main?: boolean;
}

export interface Sorting {
  by: string | undefined;
  descending: boolean;
  onSort: (by: string, descending: boolean) => void;
}

interface Selection {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
}

export interface TableProps<Row> {
  /** The name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Absent while the rows are read. */
  rows: readonly Row[] | undefined;
  /** Identifies a row; by its id, if absent. */
  rowKey?: ((row: Row) => string) | undefined;
  /** Names a row, if its key does not. */
  rowName?: (row: Row) => string;
  /** Returns the target of a click on the row. */
  href?: ((row: Row) => string) | undefined;
  sorting?: Sorting | undefined;
  selection?: Selection | undefined;
  /** Shows lower rows. */
  dense?: boolean | undefined;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
}

/** Most records have an id; a table of others sets `rowKey`. */
function idOf(row: unknown): string {
  return (row as { id: string }).id;
}

/** They fill a screen, so that what is below the table does not jump up. */
const SKELETON_ROWS = 20;

/** Records in rows; on a phone each is a card. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey = idOf, sorting, selection, empty } = props;
  if (rows?.length === 0 && empty) return <>{empty}</>;
  return (
    <div className="table-frame framed">
      <table className={props.dense ? "table table-dense" : "table"} aria-label={label} aria-busy={rows === undefined}>
        <thead>
          <tr>
            {selection && (
              <th className="table-select">
                <SelectAll keys={rows?.map(rowKey) ?? []} {...selection} />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.title} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows ? (
            rows.map((row) => <Row key={rowKey(row)} row={row} {...props} />)
          ) : (
            <Skeletons columns={columns} selects={selection !== undefined} />
          )}
        </tbody>
      </table>
    </div>
  );
}

function Head<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | undefined }) {
  const { title, sort, numeric } = column;
  const sorted = sort !== undefined && sorting?.by === sort;
  const order = sorted ? (sorting.descending ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" aria-sort={order} className={numeric ? "table-numeric" : undefined}>
      {sort && sorting ? (
        <button
          type="button"
          className="table-sort"
          onClick={() => sorting.onSort(sort, sorted && !sorting.descending)}
        >
          {title}
          <span aria-hidden="true">{sorted ? (sorting.descending ? " ↓" : " ↑") : " ↕"}</span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

function Row<Row>({ row, columns, rowKey = idOf, rowName = rowKey, href, selection }: TableProps<Row> & { row: Row }) {
  const key = rowKey(row);
  return (
    <tr className={href ? "table-linked" : undefined} onClick={href && openByTime}>
      {selection && (
        <td className="table-select">
          <SelectOne row={key} name={rowName(row)} {...selection} />
        </td>
      )}
      {columns.map(({ title, cell, numeric, main }) => (
        <td
          key={title}
          data-label={title}
          className={[numeric && "table-numeric", main && "table-main"].filter(Boolean).join(" ")}
        >
          {main && href ? <a href={href(row)}>{cell(row)}</a> : <div className="table-value">{cell(row)}</div>}
        </td>
      ))}
    </tr>
  );
}

/** Opens the row by a click on a time, which lies above the link of the row to show its hint. */
function openByTime({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): void {
  if (target instanceof HTMLTimeElement && !target.closest("a"))
    currentTarget.querySelector<HTMLAnchorElement>(".table-main a")?.click();
}

function SelectOne({ row, name, selected, onChange }: Selection & { row: string; name: string }) {
  const toggle = (checked: boolean) => {
    const next = new Set(selected);
    if (checked) next.add(row);
    else next.delete(row);
    onChange(next);
  };
  return (
    <Checkbox
      size="xs"
      aria-label={t.select(name)}
      checked={selected.has(row)}
      onChange={(event) => toggle(event.currentTarget.checked)}
    />
  );
}

function SelectAll({ keys, selected, onChange }: Selection & { keys: readonly string[] }) {
  const all = keys.length > 0 && keys.every((key) => selected.has(key));
  return (
    <Checkbox
      size="xs"
      aria-label={t.selectAllRowsOfThis}
      disabled={keys.length === 0}
      checked={all}
      indeterminate={!all && keys.some((key) => selected.has(key))}
      onChange={() => onChange(new Set(all ? [] : keys))}
    />
  );
}

function Skeletons<Row>({ columns, selects }: { columns: readonly Column<Row>[]; selects: boolean }) {
  return Array.from({ length: SKELETON_ROWS }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
    <tr key={at}>
      {selects && <td className="table-select" />}
      {columns.map(({ title }) => (
        <td key={title}>
          <Skeleton height={14} width="70%" />
        </td>
      ))}
    </tr>
  ));
}
