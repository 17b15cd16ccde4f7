import { useQuery } from "@tanstack/react-query";
import {
  CERTIFICATE_AUDIT,
  type CertificateEntry,
  type CertificateQuery,
  certificateAuditQuery,
} from "../../api/audits.ts";
import { Actor } from "../../parts/actor.tsx";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { useListState } from "../../parts/url-state.ts";
import type { Column } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import type { Filter } from "../../ui/input/filters.tsx";
import { AuditList } from "./audit-list.tsx";

const KINDS: Readonly<Record<CertificateEntry["kind"], string>> = {
  device_cert_minted: "Bundle issued",
  device_cert_enrolled: "Enrolled",
  device_cert_renewed: "Renewed",
  device_cert_revoked: "Revoked",
};

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: "Device id", placeholder: "the whole id", maxLength: 128 },
  { kind: "text", name: "actor", label: "Actor", placeholder: "user:…", maxLength: 200, not: true },
  { kind: "choice", name: "kind", label: "What", options: Object.entries(KINDS), not: true },
  ...PERIOD,
];

export const CERTIFICATE_COLUMNS: readonly Column<CertificateEntry>[] = [
  { key: "kind", title: "What", main: true, cell: ({ kind }) => KINDS[kind] },
  {
    key: "device",
    title: "Device",
    cell: ({ deviceId }) => (
      <a className="mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
        {deviceId}
      </a>
    ),
  },
  {
    key: "certificate",
    title: "Certificate",
    cell: ({ certificateId, serialNumber }) => (
      <a className="mono" href={`/certificates/${certificateId}`}>
        …{serialNumber.slice(-10)}
      </a>
    ),
  },
  { key: "actor", title: "By", cell: ({ actor }) => <Actor of={actor} /> },
  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
];

/** What happened to certificates. */
export function CertificateAudit() {
  const list = useListState();
  const asked: CertificateQuery = {
    deviceId: list.values.deviceId,
    ...negatable(list.values, "actor", "kind"),
    ...periodOf(list.values),
    skip: list.skip,
  };
  return (
    <AuditList
      label="Certificate audit"
      list={list}
      filters={FILTERS}
      columns={CERTIFICATE_COLUMNS}
      query={useQuery(certificateAuditQuery(asked))}
      path={CERTIFICATE_AUDIT}
      asked={asked}
      rowKey={({ id }) => id}
    />
  );
}
