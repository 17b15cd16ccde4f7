import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CERTIFICATES, type Certificate, type CertificatesQuery, certificatesQuery } from "../../api/certificates.ts";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { instantOf, negatable } from "../../parts/filter-values.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { type Filter, Filters, type FilterValues } from "../../ui/input/filters.tsx";
import { Page } from "../../ui/page/page.tsx";
import { CERTIFICATE_KINDS } from "../../words/certificates.ts";
import { CertificateState } from "./certificate-state.tsx";
import { IssueDialog } from "./issue-dialog.tsx";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: "Device id", placeholder: "the whole id", maxLength: 128 },
  {
    kind: "choice",
    name: "state",
    label: "State",
    options: [
      ["live", "valid"],
      ["expiring", "expires soon"],
      ["expired", "expired"],
      ["revoked", "revoked"],
    ],
    not: true,
  },
  { kind: "choice", name: "kind", label: "Kind", options: Object.entries(CERTIFICATE_KINDS), not: true },
  { kind: "time", name: "expiresFrom", label: "Expires from" },
  { kind: "time", name: "expiresBefore", label: "Expires before" },
];

/** All certificates of devices; those that expire first come first, unless the address says otherwise. */
export default function CertificatesPage() {
  const { values, skip, sorting, sort, onFilter, onSkip } = useListState();
  const wanted = queryOf(values, sort, skip);
  const query = useQuery(certificatesQuery(wanted));
  const [{ issue }, setUrl] = useUrlState();
  const may = useMay("issueCertificate");
  const refresh = useRefresh();
  const order = sort === "newest" ? undefined : "expiry";
  return (
    <Page
      title="Certificates"
      lead="Client certificates of devices. Devices that enroll themselves renew by themselves; a bundle is replaced by hand."
      actions={may && <Button onClick={() => setUrl({ issue: values.deviceId ?? "" })}>Issue bundle</Button>}
    >
      <Filters filters={FILTERS} values={values} onChange={onFilter} />
      <Loaded query={query} loading={<Table label="Certificates" columns={COLUMNS} rows={undefined} rowKey={idOf} />}>
        {(page) => (
          <>
            <Table
              label="Certificates"
              columns={COLUMNS}
              rows={page.items}
              rowKey={idOf}
              href={({ id }) => `/certificates/${id}`}
              sorting={{ by: order, descending: false, onSort: sorting.onSort }}
              empty={<Nothing filtered={FILTERS.some(({ name }) => values[name])} />}
            />
            <Pager page={page} of="certificate" onSkip={onSkip}>
              <DownloadCsv list={CERTIFICATES} query={wanted} total={page.total} totalIsAtLeast={page.totalIsAtLeast} />
            </Pager>
          </>
        )}
      </Loaded>
      <IssueDialog
        deviceId={issue}
        onClose={() => setUrl({ issue: undefined })}
        onIssued={() => void refresh(CERTIFICATES, "/api/admin/devices")}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Certificate>[] = [
  {
    key: "serial",
    title: "Serial number",
    main: true,
    cell: ({ serialNumber }) => <span className="mono">…{serialNumber.slice(-10)}</span>,
  },
  {
    key: "device",
    title: "Device",
    cell: ({ deviceId }) => (
      <a className="mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
        {deviceId}
      </a>
    ),
  },
  { key: "state", title: "State", cell: (certificate) => <CertificateState certificate={certificate} /> },
  { key: "kind", title: "Kind", cell: ({ kind }) => CERTIFICATE_KINDS[kind] },
  { key: "expires", title: "Expires", sort: "expiry", cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { key: "issued", title: "Issued", sort: "newest", cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  { key: "connected", title: "Last connected", cell: ({ lastConnectedAt }) => <Ago at={lastConnectedAt} /> },
];

function idOf({ id }: Certificate): string {
  return id;
}

/** Sorted by expiry, the list has no revoked certificates: asking for them means newest first. */
function queryOf(values: FilterValues, sort: string | undefined, skip: number): CertificatesQuery {
  const { deviceId, state, expiresFrom, expiresBefore } = values;
  const newest = sort === "newest" || sort === "-newest" || state === "revoked" || Boolean(deviceId);
  return {
    deviceId: deviceId || undefined,
    ...negatable(values, "state", "kind"),
    expiresFrom: instantOf(expiresFrom),
    expiresBefore: instantOf(expiresBefore),
    sort: newest ? ("newest" as const) : ("expiry" as const),
    skip,
    limit: 50,
  };
}

function Nothing({ filtered }: { filtered: boolean }) {
  return filtered ? (
    <Empty title="No certificate matches." action={<a href="/certificates">Clear filters</a>} />
  ) : (
    <Empty title="There is no certificate to see." action={<a href="/connect">Connect a device</a>}>
      Devices get one when they redeem a claim. For a device that cannot make its own key, issue a bundle.
    </Empty>
  );
}
