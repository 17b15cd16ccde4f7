import { Loader } from "@mantine/core";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/connect.ts";
import type { Schemas } from "../../api/client.ts";
import { RejectedNotice, useRejectedToday } from "../../parts/rejected-notice.tsx";
import { Ago, Notice, reading } from "../../ui/ui.ts";
import { explainedRefusal } from "../../words/explained-refusals.ts";
import type { Connection } from "./use-connection.ts";

/** The connection state of a device, and the reason why it is not connected. */
export function ConnectionWatch({ deviceId, connection }: { deviceId: string; connection: Connection }) {
  const { phase, refusal, device } = connection;
  if (phase === "refused" && refusal) return <Refused refusal={refusal} />;
  if (phase === "never_seen") return <Waiting deviceId={deviceId}>{t.theDeviceHasNotConnected}</Waiting>;
  const { since, reason } = device?.connectivity ?? {};
  if (phase === "online" && connection.reading === undefined) return <WithoutReading deviceId={deviceId} />;
  return (
    <Notice
      tone={phase === "online" ? "good" : "warn"}
      title={phase === "online" ? common.connected : common.notConnected}
      live
    >
      {phase === "offline" && (
        <p>
          {t.offlineSince(<Ago at={since} />)}
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
    <Notice tone="good" title={t.hasConnected(device.name)} live>
      <LatestReading deviceId={device.id} connection={connection} />
      {phase === "offline" && <p>{t.theCommandHasEndedSo}</p>}
    </Notice>
  );
}

function LatestReading({ deviceId, connection }: { deviceId: string; connection: Connection }) {
  const value = connection.reading;
  return (
    <>
      {value && (
        <p>{t.latestReading(value.metric, <strong>{reading(value.value)}</strong>, <Ago at={value.receivedAt} />)}</p>
      )}
      <p>
        <a href={`/devices/${deviceId}?tab=telemetry`}>{t.watchItsTelemetry}</a>
      </p>
    </>
  );
}

function Refused({ refusal }: { refusal: NonNullable<Connection["refusal"]> }) {
  const { cause, cure } = explainedRefusal(refusal);
  return (
    <Notice tone="bad" title={t.theBrokerRefusedTheDevice} live>
      <p>
        {cause} (<Ago at={refusal.lastAt} />)
      </p>
      {refusal.topic && <p>{t.theTopic(<span className="mono">{refusal.topic}</span>)}</p>}
      <p>{cure}</p>
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

/** A connected device without a stored value: it has sent none, or none that could be stored. */
function WithoutReading({ deviceId }: { deviceId: string }) {
  const isRefused = useRejectedToday(deviceId).length > 0;
  if (isRefused) return <RejectedNotice deviceId={deviceId} />;
  return <Waiting deviceId={deviceId}>{t.theDeviceIsConnectedAnd}</Waiting>;
}
