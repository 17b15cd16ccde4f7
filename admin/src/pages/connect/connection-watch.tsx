import { Loader } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { Ago, Notice, reading } from "../../ui/ui.ts";
import type { Connection } from "./use-connection.ts";

/** The connection state of a device, and the reason why it is not connected. */
export function ConnectionWatch({ deviceId, connection }: { deviceId: string; connection: Connection }) {
  const { phase, refusal, device } = connection;
  if (phase === "refused" && refusal) return <Refused refusal={refusal} />;
  if (phase === "never_seen") return <Waiting deviceId={deviceId}>The device has not connected yet.</Waiting>;
  const { since, reason } = device?.connectivity ?? {};
  if (phase === "online" && connection.reading === undefined)
    return <Waiting deviceId={deviceId}>The device is connected and has published nothing yet.</Waiting>;
  return (
    <Notice tone={phase === "online" ? "good" : "warn"} title={phase === "online" ? "Connected" : "Not connected"} live>
      {phase === "offline" && (
        <p>
          Offline since <Ago at={since} />
          {reason && `: ${reason}`}.
        </p>
      )}
      <LatestReading deviceId={deviceId} connection={connection} />
    </Notice>
  );
}

/** Reports the first reading of a device that has just enrolled, and its connection state until then. */
export function FirstReading({ device, connection }: { device: Schemas["Device"]; connection: Connection }) {
  const { phase } = connection;
  if (connection.reading === undefined) return <ConnectionWatch deviceId={device.id} connection={connection} />;
  return (
    <Notice tone="good" title={`${device.name} has connected`} live>
      <LatestReading deviceId={device.id} connection={connection} />
      {phase === "offline" && <p>The command has ended, so the device is offline until its own client connects.</p>}
    </Notice>
  );
}

function LatestReading({ deviceId, connection }: { deviceId: string; connection: Connection }) {
  const value = connection.reading;
  return (
    <>
      {value && (
        <p>
          Latest reading: {value.metric} <strong>{reading(value.value)}</strong>, <Ago at={value.receivedAt} />.
        </p>
      )}
      <p>
        <a href={`/devices/${deviceId}?tab=telemetry`}>Watch its telemetry</a>
      </p>
    </>
  );
}

function Refused({ refusal }: { refusal: NonNullable<Connection["refusal"]> }) {
  return (
    <Notice tone="bad" title="The broker refused the device" live>
      <p>
        {refusal.cause} (<Ago at={refusal.lastAt} />)
      </p>
      {refusal.topic && (
        <p>
          The topic: <span className="mono">{refusal.topic}</span>
        </p>
      )}
      <p>{refusal.cure}</p>
    </Notice>
  );
}

function Waiting({ deviceId, children }: { deviceId: string; children: string }) {
  return (
    <p className="row" role="status">
      <Loader size="xs" />
      {children} <span className="mono">{deviceId}</span>
    </p>
  );
}
