import { Section } from "../../ui/page/page.tsx";
import { ConnectionWatch } from "../connect/connection-watch.tsx";
import { useConnection } from "../connect/use-connection.ts";
import { RevokeBatch } from "./revoke-batch.tsx";

/** The devices that redeemed a claim. */
export function ClaimDevices({ deviceIds }: { deviceIds: readonly string[] }) {
  return (
    <Section title="Devices" actions={<RevokeBatch deviceIds={deviceIds} />}>
      {deviceIds.length === 0 ? (
        <p className="soft">No device has redeemed it.</p>
      ) : (
        <ul className="claim-devices">
          {deviceIds.map((id) => (
            <li key={id}>
              <a className="mono" href={`/devices/${encodeURIComponent(id)}`}>
                {id}
              </a>
            </li>
          ))}
        </ul>
      )}
      {deviceIds.length === 1 && <Watched deviceId={deviceIds[0]!} />}
    </Section>
  );
}

/** The claim of one device shows whether it connects. */
function Watched({ deviceId }: { deviceId: string }) {
  const connection = useConnection(deviceId);
  return connection.device ? <ConnectionWatch deviceId={deviceId} connection={connection} /> : null;
}
