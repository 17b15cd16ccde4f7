import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Certificate, certificatesOfDeviceQuery } from "../../api/certificates.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { Section } from "../../ui/page/page.tsx";
import { CERTIFICATE_KINDS, stateOfCertificate } from "../../words/certificates.ts";
import { RevokeAll } from "./revoke-all.tsx";
import type { TabProps } from "./tab-props.ts";

const COLUMNS: readonly Column<Certificate>[] = [
  {
    key: "serial",
    title: "Serial number",
    main: true,
    cell: ({ serialNumber }) => <span className="mono">…{serialNumber.slice(-10)}</span>,
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

/** Every certificate that the device has had, and what can be done with all of them. */
export function CertificatesTab({ device }: TabProps) {
  const query = useQuery(certificatesOfDeviceQuery(device.id));
  const live = query.data?.items.filter(({ status, expired }) => status === "active" && !expired);
  return (
    <Section
      title="Certificates"
      lead="Every one that the device has had, newest first."
      actions={live && <Acts device={device} live={live} />}
    >
      <Loaded query={query}>
        {({ items }) => (
          <Table
            label="Certificates of the device"
            columns={COLUMNS}
            rows={items}
            rowKey={({ id }) => id}
            href={({ id }) => `/certificates/${id}`}
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
    </Section>
  );
}

/** A device with a live bundle has it replaced without a gap; another gets its first one. */
function Acts({ device, live }: { device: TabProps["device"]; live: readonly Certificate[] }) {
  const [mayIssue, mayRevoke] = [useMay("issueCertificate"), useMay("revokeCertificatesOfDevice")];
  const id = encodeURIComponent(device.id);
  const rotates = live.some(({ kind }) => kind === "platform");
  return (
    <>
      {mayIssue && (
        <Button component="a" variant="default" href={rotates ? `/devices/${id}/rotate` : `/certificates?issue=${id}`}>
          {rotates ? "Rotate" : "Issue bundle"}
        </Button>
      )}
      {mayRevoke && <RevokeAll device={device} live={live} />}
    </>
  );
}
