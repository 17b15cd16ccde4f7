import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { changeDevices, DEVICES } from "../../api/devices.ts";
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
    <div className="bulk-progress">
      <progress max={total} value={done + refused} aria-label="Progress" />
      <span role="status">
        {(done + refused).toLocaleString()} of {total.toLocaleString()}
        {refused > 0 && `, ${refused.toLocaleString()} refused`}
      </span>
      <Button size="xs" variant="default" onClick={onStop}>
        Stop
      </Button>
    </div>
  );
}
