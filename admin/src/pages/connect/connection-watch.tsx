import { Loader } from "@mantine/core";
import { reading } from "../../ui/display/format.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Ago } from "../../ui/display/time.tsx";
import type { Connection } from "./use-connection.ts";

/** What the service sees of the device, and what to do when it refuses. */
export function ConnectionWatch({ deviceId, connection }: { deviceId: string; connection: Connection }) {
  const { phase, refusal, reading: value } = connection;
  if (phase === "refused" && refusal)
    return (
      <Notice tone="bad" title="The broker refused the device" live>
        <p>
          {refusal.cause} (<Ago at={refusal.lastAt} />)
        </p>
        <p>{refusal.cure}</p>
      </Notice>
    );
  if (phase === "reported" && value)
    return (
      <Notice tone="good" title="Connected" live>
        <p>
          First reading: {value.metric} <strong>{reading(value.value)}</strong>, <Ago at={value.receivedAt} />.
        </p>
        <p>
          <a href={`/devices/${deviceId}?tab=telemetry`}>Watch its telemetry</a>
        </p>
      </Notice>
    );
  return (
    <p className="row" role="status">
      <Loader size="xs" />
      {phase === "connected"
        ? "The device is connected and has published nothing yet."
        : "The device has not connected yet."}{" "}
      <span className="mono">{deviceId}</span>
    </p>
  );
}
