import { useQuery } from "@tanstack/react-query";
import { connectGuideQuery, deviceQuery } from "../../api/devices.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Page, Section } from "../../ui/page/page.tsx";
import { ClientExamples } from "./client-examples.tsx";
import { ConnectionWatch } from "./connection-watch.tsx";
import { useConnection } from "./use-connection.ts";

const NO_CERTIFICATE: ReadonlySet<string> = new Set(["none", "expired", "revoked"]);

/** How one device connects with the certificate that it has, and what becomes of its attempts. */
export default function DeviceConnectPage() {
  const { id } = usePathParams<"id">();
  const device = useQuery(deviceQuery(id));
  const guide = useQuery(connectGuideQuery(id));
  const connection = useConnection(id);
  const mayIssue = useMay("issueCertificate");
  return (
    <Page
      title="Connect the device"
      back={{ href: `/devices/${id}`, label: device.data?.device.name ?? id }}
      lead="Everything that its client needs, and what the broker sees of it."
      narrow
    >
      <Section title="What the broker sees">
        <ConnectionWatch deviceId={id} connection={connection} />
      </Section>
      <Loaded query={guide}>
        {(found) =>
          NO_CERTIFICATE.has(found.certificateState) ? (
            <Notice tone="warn" title="The device has no valid certificate">
              {mayIssue ? (
                <p>
                  <a href={`/certificates?issue=${encodeURIComponent(id)}`}>Issue a bundle</a>, and install its files on
                  the device.
                </p>
              ) : (
                <p>An administrator issues a bundle for it.</p>
              )}
              <p>
                A device that can generate its own key is <a href="/connect">connected with a claim</a> instead, which
                adds a device.
              </p>
            </Notice>
          ) : (
            <ClientExamples guide={found} />
          )
        }
      </Loaded>
    </Page>
  );
}
