import { t } from "#texts/parts.ts";
import { CSV_ROWS, csvOf } from "../api/queries.ts";
import { numberText } from "../texts/number-text.ts";
import { Action } from "../ui/ui.ts";

interface DownloadCsvProps {
  /** The address of the list, such as `/api/admin/devices`. */
  list: string;
  /** The query of the list; its page does not matter. */
  query: object;
  /** The number of matching rows, if known. */
  total: number | undefined;
  /** Set if there may be more than `total`. */
  totalIsAtLeast?: boolean | undefined;
}

/** Saves all pages of the list with its filters and its order. */
export function DownloadCsv({ list, query, total = 0, totalIsAtLeast = false }: DownloadCsvProps) {
  if (total === 0) return null;
  const most = numberText(CSV_ROWS);
  const isCut = total > CSV_ROWS;
  return (
    <Action
      small
      label={isCut ? t.downloadTheFirstAsCsv(most) : totalIsAtLeast ? t.downloadUpToAsCsv(most) : t.downloadCsv}
      href={csvOf(list, query)}
      download
    />
  );
}
