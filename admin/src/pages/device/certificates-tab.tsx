import { useQuery } from "@tanstack/react-query";
import { certificatesOfDeviceQuery } from "../../api/certificates.ts";
import type { Schemas } from "../../api/client.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { CERTIFICATE_KINDS, stateOfCertificate } from "../../words/certificates.ts";
import type { TabProps } from "./device-page.tsx";

type Certificate = Schemas["DeviceCertificate"];

const COLUMNS: readonly Column<Certificate>[] = [
  {
    key: "serial",
    title: "Serial number",
    main: true,
    cell: ({ serialNumber }) => <span className="mono">{serialNumber}</span>,
  },
  { key: "kind", title: "Kind", cell: ({ kind }) => CERTIFICATE_KINDS[kind] },
  { key: "state", title: "State", cell: (certificate) => <State certificate={certificate} /> },
  { key: "issued", title: "Issued", cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  { key: "expires", title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  { key: "used", title: "Last connected", cell: ({ lastConnectedAt }) => <Ago at={lastConnectedAt} /> },
  {
    key: "topics",
    title: "Publishes on",
    cell: ({ publishTopics }) =>
      publishTopics.length > 0 ? (
        <span className="mono">{publishTopics.join(" ")}</span>
      ) : (
        <span className="soft">nowhere</span>
      ),
  },
];

function State({ certificate }: { certificate: Certificate }) {
  const [tone, label] = stateOfCertificate(certificate);
  return (
    <Status tone={tone} plain>
      {label}
    </Status>
  );
}

/** Every certificate that the device has had. */
export function CertificatesTab({ device }: TabProps) {
  return (
    <Loaded query={useQuery(certificatesOfDeviceQuery(device.id))}>
      {({ items }) => (
        <Table
          label="Certificates of the device"
          columns={COLUMNS}
          rows={items}
          rowKey={({ id }) => id}
          empty={
            <Empty
              title="The device has no certificate"
              action={<a href={`/devices/${device.id}/connect`}>Connect the device</a>}
            >
              It cannot connect yet.
            </Empty>
          }
        />
      )}
    </Loaded>
  );
}
