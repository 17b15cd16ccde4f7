import { useQuery } from "@tanstack/react-query";
import { CERTIFICATES, type Certificate, type CertificatesQuery, certificatesQuery } from "../../api/certificates.ts";
import { instantOf, negatable } from "../../parts/filter-values.ts";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import { Action, Ago, type Column, Empty, type Filter, type FilterValues, Page, Time } from "../../ui/ui.ts";
import { CERTIFICATE_KINDS } from "../../words/certificates.ts";
import { CertificateState } from "./certificate-state.tsx";
import { IssueDialog } from "./issue-dialog.tsx";

const STATES = { live: "valid", expiring: "expires soon", expired: "expired", revoked: "revoked" };
const FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: "Device id", placeholder: "the whole id", maxLength: 128 },
  { kind: "choice", name: "state", label: "State", options: Object.entries(STATES), not: true },
  { kind: "choice", name: "kind", label: "Kind", options: Object.entries(CERTIFICATE_KINDS), not: true },
  { kind: "time", name: "expiresFrom", label: "Expires from" },
  { kind: "time", name: "expiresBefore", label: "Expires before" },
];
const COLUMNS: readonly Column<Certificate>[] = [
  {
    title: "Serial number",
    main: true,
    cell: ({ serialNumber }) => <span className="mono">…{serialNumber.slice(-10)}</span>,
  },
  {
    title: "Device",
    cell: ({ deviceId }) => (
      <a className="mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
        {deviceId}
      </a>
    ),
  },
  { title: "State", cell: (certificate) => <CertificateState certificate={certificate} /> },
  { title: "Kind", cell: ({ kind }) => CERTIFICATE_KINDS[kind] },
  { title: "Expires", sort: "expiry", cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { title: "Issued", sort: "newest", cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  { title: "Last connected", cell: ({ lastConnectedAt }) => <Ago at={lastConnectedAt} /> },
];

/** All certificates of devices, the next to expire first unless the address has another order. */
export default function CertificatesPage() {
  const list = useListState();
  const { values, sort, skip, sorting } = list;
  const asked = queryOf(values, sort, skip);
  const [{ issue }, setUrl] = useUrlState();
  const may = useMay("issueCertificate");
  return (
    <Page
      title="Certificates"
      lead="Client certificates of devices. Devices that enroll themselves renew by themselves; a bundle is replaced by hand."
      actions={may && <Action main label="Issue bundle" onClick={() => setUrl({ issue: values.deviceId ?? "" })} />}
    >
      <Records
        label="Certificates"
        of="certificate"
        list={list}
        filters={FILTERS}
        query={useQuery(certificatesQuery(asked))}
        columns={COLUMNS}
        href={({ id }) => `/certificates/${id}`}
        sorting={{ by: sort === "newest" ? undefined : "expiry", descending: false, onSort: sorting.onSort }}
        csv={[CERTIFICATES, asked]}
        empty={
          <Empty title="There is no certificate to see." action={<a href="/connect">Connect a device</a>}>
            Devices get one when they redeem a claim. For a device that cannot make its own key, issue a bundle.
          </Empty>
        }
      />
      <IssueDialog deviceId={issue} onClose={() => setUrl({ issue: undefined })} />
    </Page>
  );
}

/** Sorted by expiry, the list has no revoked certificates: a filter for them changes the order to newest first. */
function queryOf(values: FilterValues, sort: string | undefined, skip: number): CertificatesQuery {
  const { deviceId, state, expiresFrom, expiresBefore } = values;
  const newest = sort === "newest" || sort === "-newest" || state === "revoked" || Boolean(deviceId);
  return {
    deviceId,
    ...negatable(values, "state", "kind"),
    expiresFrom: instantOf(expiresFrom),
    expiresBefore: instantOf(expiresBefore),
    sort: newest ? "newest" : "expiry",
    skip,
    limit: 50,
  };
}
