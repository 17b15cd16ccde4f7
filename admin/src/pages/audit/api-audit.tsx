import { useQuery } from "@tanstack/react-query";
import { API_AUDIT, type ApiQuery, type ApiWrite, apiAuditQuery } from "../../api/audits.ts";
import { Actor } from "../../parts/actor.tsx";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { WRITE_COLUMNS } from "../../parts/list/write-columns.tsx";
import { useListState } from "../../parts/url-state.ts";
import type { Column } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import type { Filter } from "../../ui/input/filters.tsx";
import { OPERATIONS, WRITE_RESULTS } from "../../words/acts.ts";
import { AuditList } from "./audit-list.tsx";

const FILTERS: readonly Filter[] = [
  { kind: "choice", name: "operation", label: "Operation", options: Object.entries(OPERATIONS), not: true },
  { kind: "text", name: "keyId", label: "Key id", placeholder: "4fgh7kp2", maxLength: 200, not: true },
  { kind: "text", name: "resourceId", label: "Record", placeholder: "its id", maxLength: 200 },
  { kind: "choice", name: "result", label: "Result", options: Object.entries(WRITE_RESULTS), not: true },
  ...PERIOD,
];

export const API_COLUMNS: readonly Column<ApiWrite>[] = [
  ...WRITE_COLUMNS,
  { key: "key", title: "By", cell: ({ keyId }) => <Actor of={`apikey:${keyId}`} /> },
  { key: "address", title: "From", cell: ({ address }) => address ?? "–" },
  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
];

/** Writes with API keys. */
export function ApiAudit() {
  const list = useListState();
  const asked: ApiQuery = {
    ...negatable(list.values, "operation", "keyId", "result"),
    resourceId: list.values.resourceId,
    ...periodOf(list.values),
    skip: list.skip,
  };
  return (
    <AuditList
      label="API audit"
      list={list}
      filters={FILTERS}
      columns={API_COLUMNS}
      query={useQuery(apiAuditQuery(asked))}
      path={API_AUDIT}
      asked={asked}
      rowKey={({ id }) => id}
    />
  );
}
