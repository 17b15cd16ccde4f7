import { Button } from "@mantine/core";
import { CSV_ROWS, csvOf } from "../api/queries.ts";

interface DownloadCsvProps {
  /** The address of the list, such as `/api/admin/devices`. */
  list: string;
  /** What the screen asks it for; the page does not matter. */
  query: object;
  /** How many rows match, when known. */
  total: number | undefined;
  /** There may be more than `total`. */
  totalIsAtLeast?: boolean | undefined;
}

/** Saves the list as it is filtered and sorted, all pages of it. */
export function DownloadCsv({ list, query, total = 0, totalIsAtLeast = false }: DownloadCsvProps) {
  if (total === 0) return null;
  const most = CSV_ROWS.toLocaleString();
  const isCut = total > CSV_ROWS;
  return (
    <Button component="a" size="xs" variant="default" href={csvOf(list, query)} download>
      {isCut ? `Download the first ${most} as CSV` : totalIsAtLeast ? `Download up to ${most} as CSV` : "Download CSV"}
    </Button>
  );
}
