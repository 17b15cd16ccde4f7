import { t } from "#texts/pages/fleet.ts";
import type { ImportRow } from "../../../api/devices.ts";
import { numberText } from "../../../texts/number-text.ts";
import { sentence } from "../../../texts/sentence.ts";
import { type Column, Table } from "../../../ui/ui.ts";
import type { ImportResult } from "./run-import.ts";

/** The number of rows shown: refused ones first. */
const SHOWN = 50;

interface ImportTableProps {
  rows: readonly ImportRow[];
  result: readonly ImportResult[];
  isPreview: boolean;
}

/** Shows the result or preview of an import: numbers, and the rows to look at. */
export function ImportTable({ rows, result, isPreview }: ImportTableProps) {
  const count = (outcome: ImportResult["outcome"]) =>
    numberText(result.filter((each) => each.outcome === outcome).length);
  const counts = [count("created"), count("changed"), count("unchanged"), count("refused")] as const;
  const words = isPreview ? { ...DONE, created: t.wouldCreate, changed: t.wouldChange } : DONE;
  const refused = result.filter(({ outcome }) => outcome === "refused");
  const others = result.filter(({ outcome }) => outcome !== "refused" && outcome !== "unchanged");
  const listed = [...refused, ...others];
  const columns: readonly Column<ImportResult>[] = [
    { title: t.row, numeric: true, cell: ({ row }) => numberText(row) },
    { title: t.device, main: true, cell: (each) => <Names each={each} row={rows[each.row - 1]} /> },
    { title: t.result, cell: ({ outcome }) => words[outcome] },
    { title: t.why, cell: ({ message }) => (message ? sentence(message) : "–") },
  ];
  return (
    <>
      <p role="status">{(isPreview ? t.previewSummary : t.summary)(...counts)}</p>
      {listed.length > 0 && (
        <Table
          label={t.result}
          columns={columns}
          rows={listed.slice(0, SHOWN)}
          rowKey={({ row }) => String(row)}
          dense
        />
      )}
      {listed.length > SHOWN && <p className="soft">{t.rowsNotShown(numberText(listed.length - SHOWN))}</p>}
    </>
  );
}

const DONE: Record<ImportResult["outcome"], string> = {
  created: t.created,
  changed: t.changed,
  unchanged: t.unchanged,
  refused: t.refused,
  not_tried: t.notTried,
};

function Names({ each: { id, nameBefore }, row }: { each: ImportResult; row: ImportRow | undefined }) {
  const name = row?.name;
  const shown = nameBefore !== null && name !== undefined && name !== nameBefore ? t.renamed(nameBefore, name) : name;
  return (
    <span className="clipped" dir="auto" title={id ?? undefined}>
      {shown ?? nameBefore ?? id ?? row?.hardwareFingerprint ?? "–"}
    </span>
  );
}
