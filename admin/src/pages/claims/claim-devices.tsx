import { Section } from "../../ui/page/page.tsx";

/** The devices that redeemed a claim. */
export function ClaimDevices({ deviceIds }: { deviceIds: readonly string[] }) {
  return (
    <Section title="Devices">
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
    </Section>
  );
}
