import { useEffect, useState, useSyncExternalStore } from "react";
import { type TelemetrySnapshot, TelemetryStore } from "../../api/live/telemetry-store.ts";

/** What the device publishes while the page is visible: a hidden tab gives its connection back. */
export function useTelemetry(deviceId: string): TelemetrySnapshot {
  const [store, setStore] = useState(() => new TelemetryStore(deviceId));
  const visible = useVisible();
  useEffect(() => {
    const next = new TelemetryStore(deviceId);
    setStore(next);
    if (visible) next.open(`/api/admin/events?telemetryOf=${encodeURIComponent(deviceId)}&kinds=telemetry.changed`);
    return () => next.close();
  }, [deviceId, visible]);
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
