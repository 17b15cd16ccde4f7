import { useRef, useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/parts.ts";
import type { Schemas } from "../../api/client.ts";
import { changeDevices, DEVICES } from "../../api/devices.ts";
import { numberText } from "../../texts/number-text.ts";
import { sentence } from "../../texts/sentence.ts";
import { Action, type Column, Dialog, DialogActions, Table } from "../../ui/ui.ts";
import { Confirm } from "../act/confirm.tsx";
import { useRefresh } from "../use-refresh.ts";
import { type BulkOutcome, type Progress, runInParts } from "./run-in-parts.ts";
import "./bulk.css";

type Change = Omit<Schemas["BulkChange"], "ids">;

/** Changes many devices with progress; the user may stop after the present part. */
export function useBulk() {
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef(false);
  const refresh = useRefresh();
  const run = async (ids: readonly string[], change: Change): Promise<BulkOutcome> => {
    stop.current = false;
    setProgress({ done: 0, refused: 0, total: ids.length });
    try {
      return await runInParts(ids, {
        send: (part) => changeDevices({ ...change, ids: part }),
        onProgress: setProgress,
        stopped: () => stop.current,
        wait: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
      });
    } finally {
      setProgress(undefined);
      await refresh(DEVICES, "/api/admin/certificates");
    }
  };
  const onStop = () => {
    stop.current = true;
  };
  return { run, shown: progress && <BulkProgress progress={progress} onStop={onStop} /> };
}

function BulkProgress({ progress, onStop }: { progress: Progress; onStop: () => void }) {
  const { done, refused, total } = progress;
  return (
    <div className="bulk-progress row">
      <progress max={total} value={done + refused} aria-label={t.progress} />
      <span role="status">
        {t.of(numberText(done + refused), numberText(total))}
        {refused > 0 && t.refused(numberText(refused))}
      </span>
      <Action small label={t.stop} onClick={onStop} />
    </div>
  );
}

interface ConfirmEndProps {
  act: "revoke_certificates" | "delete" | undefined;
  ids: readonly string[];
  onClose: () => void;
  onDone: (outcome: Schemas["BulkOutcome"]) => void;
}

const SHOWN = 10;

/** Asks before many devices are deleted, or lose their certificates. */
export function ConfirmEnd({ act, ids, onClose, onDone }: ConfirmEndProps) {
  const bulk = useBulk();
  const count = nouns.device(ids.length);
  const deletes = act === "delete";
  return (
    <Confirm
      title={deletes ? t.delete(count) : t.revokeTheCertificatesOf(count)}
      opened={act !== undefined}
      onClose={onClose}
      action={deletes ? t.delete2(count) : t.revokeCertificatesOf(count)}
      run={async () => onDone(await bulk.run(ids, { act: act! }))}
      typed={`${deletes ? "delete" : "revoke"} ${ids.length}`}
    >
      {deletes ? <p>{t.allCertificatesOfAreRevoked(count)}</p> : <p>{t.everyLiveCertificateOfIs(count)}</p>}
      {bulk.shown}
      <p className="mono">
        {ids.slice(0, SHOWN).join(", ")}
        {ids.length > SHOWN && t.andMore(ids.length - SHOWN)}
      </p>
    </Confirm>
  );
}

type DeviceOutcome = Schemas["DeviceOutcome"];

interface OutcomeProps {
  outcome: BulkOutcome | undefined;
  /** The state of the devices that were not changed. */
  left: string;
  onClose: () => void;
}

export function Outcome({ outcome, left, onClose }: OutcomeProps) {
  return (
    <Dialog title={t.whatWasDone} opened={outcome !== undefined} onClose={onClose} wide>
      {outcome && <Done outcome={outcome} left={left} onClose={onClose} />}
    </Dialog>
  );
}

function Done({ outcome, left, onClose }: OutcomeProps & { outcome: BulkOutcome }) {
  const failed = outcome.items.filter((item) => item.outcome !== "done");
  return (
    <div className="stack">
      <p role="status">
        {failed.length === 0
          ? t.doneFor(nouns.device(outcome.done))
          : t.doneForNotFor(nouns.device(outcome.done), failed.length, left)}
      </p>
      {failed.length > 0 && <Table label={t.notDone} columns={COLUMNS} rows={failed} />}
      <DialogActions>
        <Action main label={common.close} onClick={onClose} data-autofocus />
      </DialogActions>
    </div>
  );
}

const COLUMNS: readonly Column<DeviceOutcome>[] = [
  { title: common.deviceId, main: true, cell: ({ id }) => <span className="mono">{id}</span> },
  { title: common.why, cell: reasonOf },
];

function reasonOf({ outcome, message }: DeviceOutcome): string {
  if (message !== null) return sentence(message);
  return outcome === "not_tried" ? t.itWasNotTriedRepeat : "";
}
