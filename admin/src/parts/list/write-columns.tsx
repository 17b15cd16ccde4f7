import type { ApiWrite } from "../../api/audits.ts";
import type { Column } from "../../ui/display/table.tsx";
import { OPERATIONS, WRITE_RESULTS } from "../../words/acts.ts";
import { RecordLink } from "../links/record-link.tsx";

/** What an API key was used for, on which record, and what came of it. */
export const WRITE_COLUMNS: readonly Column<ApiWrite>[] = [
  {
    key: "operation",
    title: "Operation",
    main: true,
    cell: ({ operation }) => <span title={operation}>{OPERATIONS[operation] ?? operation}</span>,
  },
  {
    key: "record",
    title: "Record",
    cell: ({ resource, resourceId, result }) => (
      <RecordLink kind={resource} id={resourceId} gone={result === "deleted"} />
    ),
  },
  { key: "result", title: "Result", cell: ({ result }) => WRITE_RESULTS[result] },
];
