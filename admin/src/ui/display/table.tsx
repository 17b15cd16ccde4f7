import { Checkbox, Skeleton } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";
import "./table.css";

export interface Column<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** The order of the list that a click on the title asks for. */
  sort?: string;
  numeric?: boolean;
  /** Names the row: the link of the row is here, and the title of its card on a phone. Exactly one column. */
  main?: boolean;
}

export interface Sorting {
  by: string | undefined;
  descending: boolean;
  onSort: (by: string, descending: boolean) => void;
}

export interface Selection {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
}

export interface TableProps<Row> {
  /** For screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Absent while they are being read. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** What a person calls the row, where that is not its key. */
  rowName?: (row: Row) => string;
  /** Where a click on the row leads. */
  href?: (row: Row) => string;
  sorting?: Sorting;
  selection?: Selection;
  /** In place of a table without rows. */
  empty?: ReactNode;
}

const SKELETON_ROWS = 6;

/** Records in rows; on a phone each is a card. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, sorting, selection, empty } = props;
  if (rows?.length === 0 && empty) return <>{empty}</>;
  return (
    <div className="table-frame">
      <table className="table" aria-label={label} aria-busy={rows === undefined}>
        <thead>
          <tr>
            {selection && (
              <th className="table-select">
                <SelectAll keys={rows?.map(rowKey) ?? []} {...selection} />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.key} column={column} sorting={sorting} />
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

function Row<Row>({ row, columns, rowKey, rowName = rowKey, href, selection }: TableProps<Row> & { row: Row }) {
  const key = rowKey(row);
  return (
    <tr className={href ? "table-linked" : undefined} onClick={href && openByTime}>
      {selection && (
        <td className="table-select">
          <SelectOne row={key} name={rowName(row)} {...selection} />
        </td>
      )}
      {columns.map(({ key, title, cell, numeric, main }) => (
        <td
          key={key}
          data-label={title}
          className={[numeric && "table-numeric", main && "table-main"].filter(Boolean).join(" ")}
        >
          {main && href ? <a href={href(row)}>{cell(row)}</a> : cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** A time lies above the link of the row to show its hint, and opens the row all the same. */
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
      aria-label={`Select ${name}`}
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
      aria-label="Select all rows of this page"
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
      {columns.map(({ key }) => (
        <td key={key}>
          <Skeleton height={14} width="70%" />
        </td>
      ))}
    </tr>
  ));
}
