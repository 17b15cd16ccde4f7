import { useQuery } from "@tanstack/react-query";
import { API_AUDIT, type ApiQuery, type ApiWrite, apiAuditQuery } from "../../api/audits.ts";
import { Actor } from "../../parts/actor.tsx";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { useListState } from "../../parts/url-state.ts";
import type { Column } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import type { Filter } from "../../ui/input/filters.tsx";
import { AuditList } from "./audit-list.tsx";

const RESULTS = ["created", "updated", "revoked", "deleted", "unchanged"] as const;
const FILTERS: readonly Filter[] = [
  { kind: "text", name: "operation", label: "Operation", placeholder: "createClaim", maxLength: 200, not: true },
  { kind: "text", name: "keyId", label: "Key id", placeholder: "4fgh7kp2", maxLength: 200, not: true },
  { kind: "text", name: "resourceId", label: "Record", placeholder: "its id", maxLength: 200 },
  {
    kind: "choice",
    name: "result",
    label: "Result",
    options: RESULTS.map((result) => [result, result] as const),
    not: true,
  },
  ...PERIOD,
];

export const API_COLUMNS: readonly Column<ApiWrite>[] = [
  { key: "operation", title: "Operation", main: true, cell: ({ operation }) => operation },
  {
    key: "record",
    title: "Record",
    cell: ({ resource, resourceId }) => (
      <>
        {resource} <span className="mono">{resourceId}</span>
      </>
    ),
  },
  { key: "result", title: "Result", cell: ({ result }) => result },
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
