import { FileInput } from "@mantine/core";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/fleet.ts";
import { DEVICES } from "../../../api/devices.ts";
import { useAct } from "../../../parts/act/use-act.tsx";
import { ProblemBox } from "../../../parts/problem-box.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";
import { numberText } from "../../../texts/number-text.ts";
import { Action, DialogActions } from "../../../ui/ui.ts";
import { type ImportFile, importRows } from "./import-rows.ts";
import { ImportTable } from "./import-table.tsx";
import { type ImportResult, runImport } from "./run-import.ts";

/** The most rows of a file: ten minutes of requests. */
const MOST_ROWS = 10_000;

interface Shown {
  result: ImportResult[];
  isPreview: boolean;
}

/** Imports a CSV file: chosen, previewed, then applied with progress. */
export function ImportDevices({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<ImportFile>();
  const [shown, setShown] = useState<Shown>();
  const { act, busy, error } = useAct();
  const refresh = useRefresh();
  const [stopper, setStopper] = useState<AbortController>();
  const choose = (chosen: File | null) =>
    act(async () => {
      setShown(undefined);
      setFile(chosen ? importRows(await chosen.text()) : undefined);
    });
  const run = (isPreview: boolean) =>
    act(async () => {
      const stop = new AbortController();
      setStopper(stop);
      const onPart = (result: ImportResult[]) => setShown({ result, isPreview });
      try {
        await runImport(file!, { preview: isPreview, stopped: stop.signal, onPart });
      } finally {
        setStopper(undefined);
        if (!isPreview) await refresh(DEVICES, "/api/admin/metadata-fields");
      }
    });
  const wrong = file && wrongWith(file);
  const refused = shown?.result.filter(({ outcome }) => outcome === "refused").length ?? 0;
  const imported = (file?.rows.length ?? 0) - refused;
  return (
    <div className="stack">
      <p>{t.importHelp}</p>
      <FileInput
        label={t.file}
        placeholder={t.chooseFile}
        accept=".csv,text/csv"
        data-autofocus
        error={wrong}
        onChange={(chosen) => void choose(chosen)}
      />
      {file && file.ignored.length > 0 && <p className="soft">{t.ignoredColumns(file.ignored.join(", "))}</p>}
      {error !== undefined && <ProblemBox error={error} />}
      {shown && file && <ImportTable rows={file.rows} {...shown} />}
      {busy && file && shown && (
        <div className="row">
          <progress max={file.rows.length} value={shown.result.length} />
          <span role="status">{t.progress(numberText(shown.result.length), numberText(file.rows.length))}</span>
          <Action small label={t.stop} onClick={() => stopper?.abort()} />
        </div>
      )}
      <DialogActions>
        <Action label={common.close} onClick={onClose} />
        <Action label={t.preview} disabled={!file || wrong !== undefined || busy} onClick={() => void run(true)} />
        <Action
          main
          label={t.importRows(nouns.device(imported))}
          disabled={!shown || busy || imported === 0}
          onClick={() => void run(false)}
        />
      </DialogActions>
    </div>
  );
}

function wrongWith({ rows, hasKey }: ImportFile): string | undefined {
  if (rows.length === 0) return t.noRows;
  if (!hasKey) return t.needsKey;
  return rows.length > MOST_ROWS ? t.fileTooLarge(numberText(MOST_ROWS)) : undefined;
}
