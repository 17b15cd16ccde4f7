import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/certificates.ts";
import { CERTIFICATES, type Certificate, type CertificatesQuery, certificatesQuery } from "../../api/certificates.ts";
import { instantOf, negatable } from "../../parts/filter-values.ts";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import { Action, Ago, type Column, Empty, type Filter, type FilterValues, Page, Time } from "../../ui/ui.ts";
import { CERTIFICATE_KINDS } from "../../words/certificates.ts";
import { CertificateState } from "./certificate-state.tsx";
import { IssueDialog } from "./issue-dialog.tsx";

const STATES = {
  live: common.states.valid,
  expiring: t.expiresSoon,
  expired: common.states.expired,
  revoked: common.states.revoked,
};
const FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: common.deviceId, placeholder: common.theWholeId, maxLength: 128 },
  { kind: "choice", name: "state", label: common.state, options: Object.entries(STATES), not: true },
  { kind: "choice", name: "kind", label: common.kind, options: Object.entries(CERTIFICATE_KINDS), not: true },
  { kind: "time", name: "expiresFrom", label: t.expiresFrom },
  { kind: "time", name: "expiresBefore", label: t.expiresBefore },
];
const COLUMNS: readonly Column<Certificate>[] = [
  {
    title: t.serialNumber,
    main: true,
    cell: ({ serialNumber }) => <span className="mono">…{serialNumber.slice(-10)}</span>,
  },
  {
    title: common.device,
    cell: ({ deviceId }) => (
      <a className="mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
        {deviceId}
      </a>
    ),
  },
  { title: common.state, cell: (certificate) => <CertificateState certificate={certificate} /> },
  { title: common.kind, cell: ({ kind }) => CERTIFICATE_KINDS[kind] },
  { title: common.expires, sort: "expiry", cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { title: t.issued, sort: "newest", cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  { title: t.lastConnected, cell: ({ lastConnectedAt }) => <Ago at={lastConnectedAt} /> },
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
      title={common.certificates}
      lead={t.clientCertificatesOfDevicesDevices}
      actions={may && <Action main label={t.issueBundle} onClick={() => setUrl({ issue: values.deviceId ?? "" })} />}
    >
      <Records
        label={common.certificates}
        of={nouns.certificate}
        list={list}
        filters={FILTERS}
        query={useQuery(certificatesQuery(asked))}
        columns={COLUMNS}
        href={({ id }) => `/certificates/${id}`}
        sorting={{ by: sort === "newest" ? undefined : "expiry", descending: false, onSort: sorting.onSort }}
        csv={[CERTIFICATES, asked]}
        empty={
          <Empty title={t.thereIsNoCertificateTo} action={<a href="/connect">{common.connectADevice}</a>}>
            {t.devicesGetOneWhenThey}
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
