import { t } from "#texts/parts.ts";
import type { ApiWrite } from "../../api/audits.ts";
import type { Column } from "../../ui/ui.ts";
import { OPERATIONS, WRITE_RESULTS } from "../../words/acts.ts";
import { RecordLink } from "../links/record-link.tsx";

/** The columns for a write with an API key: operation, record, result. */
export const WRITE_COLUMNS: readonly Column<ApiWrite>[] = [
  {
    title: t.operation,
    main: true,
    cell: ({ operation }) => <span title={operation}>{OPERATIONS[operation] ?? operation}</span>,
  },
  {
    title: t.record,
    cell: ({ resource, resourceId, result }) => (
      <RecordLink kind={resource} id={resourceId} gone={result === "deleted"} />
    ),
  },
  { title: t.result, cell: ({ result }) => WRITE_RESULTS[result] },
];
