import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/audit.ts";
import { t as stream } from "#texts/pages/settings/audit-stream.ts";
import {
  ADMIN_AUDIT,
  type AdminAct,
  API_AUDIT,
  type ApiWrite,
  adminAuditQuery,
  apiAuditQuery,
  CERTIFICATE_AUDIT,
  type CertificateEntry,
  certificateAuditQuery,
} from "../../api/audits.ts";
import { filled } from "../../api/queries.ts";
import { Actor } from "../../parts/actor.tsx";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { GroupNames } from "../../parts/group-names.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { RecordLink } from "../../parts/links/record-link.tsx";
import { Records } from "../../parts/list/records.tsx";
import { WRITE_COLUMNS } from "../../parts/list/write-columns.tsx";
import { PartsPage } from "../../parts/record-page.tsx";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import { type Column, Dialog, Empty, Facts, type Filter, Table, Time } from "../../ui/ui.ts";
import { ACTS, ACTS_ON, fieldText, OPERATIONS, WRITE_RESULTS } from "../../words/acts.ts";

/** The device's screen shows columns of this page: apart, the stream is not loaded with it. */
const AuditStream = lazy(() => import("./audit-stream.tsx"));

const AUDITS = {
  admin: { label: common.administration, content: AdminAudit, lead: t.whoChangedWhatInThis },
  api: { label: common.apiKeys, content: ApiAudit, lead: t.everyWriteWithAnApi },
  certificates: {
    label: common.certificates,
    content: CertificateAudit,
    lead: t.whoIssuedEnrolledRenewedAnd,
  },
  stream: { label: stream.stream, content: Stream, lead: stream.whereTheAuditsAreSent },
};

export default function AuditPage() {
  return <PartsPage title={common.audit} path="/audit" label={t.audits} parts={AUDITS} />;
}

function Stream() {
  return (
    <Suspense fallback={null}>
      <AuditStream />
    </Suspense>
  );
}

const EMPTY = <Empty title={t.thereIsNoEntryYet} />;

const API_FILTERS: readonly Filter[] = [
  { kind: "choice", name: "operation", label: t.operation, options: Object.entries(OPERATIONS), not: true },
  { kind: "text", name: "keyId", label: t.keyId, placeholder: "4fgh7kp2", maxLength: 200, not: true },
  { kind: "text", name: "resourceId", label: t.record, placeholder: t.itsId, maxLength: 200 },
  { kind: "choice", name: "result", label: t.result, options: Object.entries(WRITE_RESULTS), not: true },
  ...PERIOD,
];

export const API_COLUMNS: readonly Column<ApiWrite>[] = [
  ...WRITE_COLUMNS,
  { title: common.by, cell: ({ keyId }) => <Actor of={`apikey:${keyId}`} /> },
  { title: common.from, cell: ({ address }) => address ?? "–" },
  { title: common.when, cell: ({ at }) => <Time at={at} /> },
];

function ApiAudit() {
  const list = useListState();
  const { values, skip } = list;
  const asked = {
    ...negatable(values, "operation", "keyId", "result"),
    resourceId: values.resourceId,
    ...periodOf(values),
  };
  return (
    <Records
      label={t.apiAudit}
      of={nouns.entry}
      list={list}
      filters={API_FILTERS}
      columns={API_COLUMNS}
      query={useQuery(apiAuditQuery({ ...asked, skip }))}
      csv={[API_AUDIT, asked]}
      empty={EMPTY}
    />
  );
}

const KINDS: Readonly<Record<CertificateEntry["kind"], string>> = {
  device_cert_minted: t.bundleIssued,
  device_cert_enrolled: t.enrolled,
  device_cert_renewed: t.renewed,
  device_cert_revoked: common.revoked,
};

const CERTIFICATE_FILTERS: readonly Filter[] = [
  { kind: "text", name: "deviceId", label: common.deviceId, placeholder: common.theWholeId, maxLength: 128 },
  { kind: "text", name: "actor", label: t.actor, placeholder: t.user, maxLength: 200, not: true },
  { kind: "choice", name: "kind", label: common.what, options: Object.entries(KINDS), not: true },
  ...PERIOD,
];

export const CERTIFICATE_COLUMNS: readonly Column<CertificateEntry>[] = [
  { title: common.what, main: true, cell: ({ kind }) => KINDS[kind] },
  {
    title: common.device,
    cell: ({ deviceId }) => (
      <a className="mono" href={`/devices/${encodeURIComponent(deviceId)}`}>
        {deviceId}
      </a>
    ),
  },
  {
    title: common.certificate,
    cell: ({ certificateId, serialNumber }) => (
      <a className="mono" href={`/certificates/${certificateId}`}>
        …{serialNumber.slice(-10)}
      </a>
    ),
  },
  { title: common.by, cell: ({ actor }) => <Actor of={actor} /> },
  { title: common.when, cell: ({ at }) => <Time at={at} /> },
];

function CertificateAudit() {
  const list = useListState();
  const { values, skip } = list;
  const asked = { deviceId: values.deviceId, ...negatable(values, "actor", "kind"), ...periodOf(values) };
  return (
    <Records
      label={t.certificateAudit}
      of={nouns.entry}
      list={list}
      filters={CERTIFICATE_FILTERS}
      columns={CERTIFICATE_COLUMNS}
      query={useQuery(certificateAuditQuery({ ...asked, skip }))}
      csv={[CERTIFICATE_AUDIT, asked]}
      empty={EMPTY}
    />
  );
}

const ADMIN_FILTERS: readonly Filter[] = [
  {
    kind: "choice",
    name: "act",
    label: t.act,
    options: [
      ...Object.entries(ACTS_ON).map(([kind, records]) => [kind, t.anythingOn(records)] as const),
      ...Object.entries(ACTS),
    ],
    not: true,
  },
  { kind: "text", name: "actor", label: t.actor, placeholder: t.user, maxLength: 200, not: true },
  { kind: "text", name: "target", label: t.record, placeholder: t.itsId, maxLength: 200 },
  ...PERIOD,
];

export const ADMIN_COLUMNS: readonly Column<AdminAct>[] = [
  { title: t.act, main: true, cell: actText },
  { title: t.record, cell: (act) => <ActRecord act={act} /> },
  { title: common.by, cell: ({ actor }) => <Actor of={actor} /> },
  { title: common.from, cell: ({ address }) => address ?? "–" },
  { title: common.when, cell: ({ at }) => <Time at={at} /> },
];

function AdminAudit() {
  const list = useListState();
  const { target } = list.values;
  const asked = { ...negatable(list.values, "act", "actor"), target, ...periodOf(list.values) };
  const query = useQuery(adminAuditQuery({ ...asked, skip: list.skip }));
  const [{ entry, ...values }, setUrl] = useUrlState();
  const shown = query.data?.items.find(({ id }) => id === entry);
  const hrefOf = ({ id }: AdminAct) =>
    `/audit?${new URLSearchParams({ ...(filled(values) as Record<string, string>), entry: id })}`;
  return (
    <>
      <Records
        label={t.administrativeAudit}
        of={nouns.entry}
        list={list}
        filters={ADMIN_FILTERS}
        query={query}
        columns={ADMIN_COLUMNS}
        href={hrefOf}
        csv={[ADMIN_AUDIT, asked]}
        empty={<Empty title={t.thereIsNoEntryYet} />}
      />
      <Dialog
        title={shown ? actText(shown) : t.entry}
        wide
        opened={shown !== undefined}
        onClose={() => setUrl({ entry: undefined })}
      >
        {shown && (
          <>
            <Facts facts={factsOf(shown)} />
            <ActChanges before={shown.before} after={shown.after} />
          </>
        )}
      </Dialog>
    </>
  );
}

/** Names the act; one of a later version of the service by its code. */
function actText({ act }: AdminAct): string {
  return ACTS[act] ?? act;
}

function factsOf(act: AdminAct) {
  return {
    [t.record]: <ActRecord act={act} />,
    [t.itsId2]: <span className="mono">{act.target}</span>,
    [t.codeOfTheAct]: <span className="mono">{act.act}</span>,
    [common.by]: <Actor of={act.actor} />,
    [common.from]: act.address,
    [common.when]: <Time at={act.at} />,
  };
}

/** The record that an act was about. */
function ActRecord({ act: { act, target, before, after } }: { act: AdminAct }) {
  // The key of a device, not an API key.
  const kind = act === "key.block" ? "device-key" : act.slice(0, act.indexOf("."));
  return <RecordLink kind={kind} id={target} name={nameIn(after) ?? nameIn(before)} gone={act.endsWith(".delete")} />;
}

/** Returns the name of the record in the recorded fields. */
function nameIn(fields: AdminAct["after"]): string | undefined {
  const { name, email, username, intendedName } = fields ?? {};
  return [name, email, username, intendedName].find((value) => typeof value === "string");
}

type Fields = Readonly<Record<string, unknown>> | null;

function ActChanges({ before, after }: { before: Fields; after: Fields }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return <p className="soft">{t.noFieldIsRecordedWith}</p>;
  return (
    <Table
      label={t.changes}
      rows={names}
      rowKey={(name) => name}
      columns={[
        { title: t.field, main: true, cell: (name) => <span title={name}>{fieldText(name)}</span> },
        { title: t.before, cell: (name) => <Value name={name} of={before?.[name]} /> },
        { title: t.after, cell: (name) => <Value name={name} of={after?.[name]} /> },
      ]}
    />
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value in readable form: records by name, times in the user's zone, lists without brackets. */
function Value({ name, of }: { name: string; of: unknown }): ReactNode {
  if (of === undefined || of === null || (Array.isArray(of) && of.length === 0)) return <span className="soft">–</span>;
  if (typeof of === "boolean") return of ? "yes" : "no";
  const texts = Array.isArray(of) ? of : [of];
  if (!texts.every((text) => typeof text === "string" || typeof text === "number"))
    return <span className="mono">{JSON.stringify(of)}</span>;
  if (name === "groupIds" || name === "groupId") return <GroupNames ids={texts.map(String)} none="–" />;
  return texts.map((text, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and may name a value twice
    <span key={at}>
      {at > 0 && ", "}
      <Text name={name} of={String(text)} />
    </span>
  ));
}

function Text({ name, of }: { name: string; of: string }) {
  if (/^(\w*U|u)serIds?$/.test(name)) return <Actor of={`user:${of}`} />;
  if (name === "revokedKeys") return <Actor of={`apikey:${of}`} />;
  if (name === "deviceId") return <DeviceLink id={of} />;
  return INSTANT.test(of) ? <Time at={of} /> : <span className="mono">{of}</span>;
}
