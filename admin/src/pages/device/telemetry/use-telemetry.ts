import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { invalidateSeries } from "../../../api/live/series.ts";
import { type TelemetrySnapshot, TelemetryStore } from "../../../api/live/telemetry-store.ts";
import { useMay } from "../../../parts/session.ts";

/**
 * Follows the telemetry of the device while the page is visible; a hidden tab gives its connection back.
 * @param charted the metrics whose points charts show; the same array while they are the same
 */
export function useTelemetry(deviceId: string, charted?: readonly string[]): TelemetrySnapshot {
  const allowed = useMay("followEvents");
  const [store, setStore] = useState(() => new TelemetryStore(deviceId, charted));
  const queries = useQueryClient();
  const open = useVisible() && allowed;
  useEffect(() => {
    const next = new TelemetryStore(deviceId, charted);
    setStore(next);
    const path = `/api/admin/events?telemetry=${encodeURIComponent(deviceId)}&kinds=telemetry.changed`;
    if (open) next.open(path, () => invalidateSeries(queries, deviceId));
    return () => next.close();
  }, [deviceId, charted, open, queries]);
  return useSyncExternalStore(store.subscribe, store.snapshot);
}

function useVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener("visibilitychange", listener);
      return () => document.removeEventListener("visibilitychange", listener);
    },
    () => document.visibilityState === "visible",
  );
}
