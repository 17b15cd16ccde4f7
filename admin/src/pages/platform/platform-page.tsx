import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  AUTHORITIES,
  type Authority,
  authoritiesQuery,
  type CreatedTenant,
  checksQuery,
  createTenant,
  type Rotation,
  rotateAuthorities,
  TENANTS,
  type TenantSummary,
  tenantsQuery,
  trustRolloutQuery,
  unknownRefusalsQuery,
} from "../../api/people/platform.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { sentence } from "../../parts/problem-box.tsx";
import { PartsPage } from "../../parts/record-page.tsx";
import { useListState } from "../../parts/url-state.ts";
import {
  Action,
  Ago,
  type Column,
  Empty,
  Notice,
  Opens,
  plural,
  Secret,
  ShownOnce,
  Status,
  Table,
  Time,
} from "../../ui/ui.ts";
import { AUTHORITY_ROLES, AUTHORITY_STATES, ROTATIONS } from "../../words/authorities.ts";
import { RefusalCards } from "../refusals/refusal-card.tsx";

const PARTS = {
  tenants: { label: "Tenants", content: TenantList, lead: "Every tenant of the installation, without its data." },
  authorities: {
    label: "Certificate authorities",
    content: Authorities,
    lead: "What issues client certificates, and what the server presents itself with.",
  },
  checks: { label: "Checks", content: Checks, lead: "Whether the stored state follows its rules." },
  refusals: {
    label: "Refused clients",
    content: UnknownRefusals,
    lead: "Clients that the broker refused and that no tenant is known for.",
  },
};

export default function PlatformPage() {
  return <PartsPage title="Platform" path="/platform" label="Platform" parts={PARTS} />;
}

const COLUMNS: readonly Column<TenantSummary>[] = [
  { title: "Name", main: true, cell: ({ name }) => name },
  { title: "Topics begin with", cell: ({ slug }) => <span className="mono">{`t/${slug}/`}</span> },
  { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function TenantList() {
  const list = useListState();
  return (
    <>
      <div className="row">
        <Opens main label="Create tenant" title="Create a tenant">
          {(close) => <CreateTenant onClose={close} />}
        </Opens>
      </div>
      <Records label="Tenants" of="tenant" list={list} query={useQuery(tenantsQuery(list.skip))} columns={COLUMNS} />
    </>
  );
}

/** Creates a tenant with its first administrator, whose password is shown once. */
function CreateTenant({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<CreatedTenant>();
  const [form, field] = useFields({ name: "", slug: "", adminEmail: "" }, "createTenant");
  const submit = async (values: typeof form.values) => setMade(await createTenant(values));
  if (made)
    return (
      <ShownOnce title={made.name} done="I have copied it" onDone={onClose}>
        <Secret label={`First password of ${made.admin.email}`} value={made.admin.password} />
        <p>The administrator signs in with it and chooses another one.</p>
      </ShownOnce>
    );
  return (
    <Form form={form} onSubmit={submit} action="Create tenant" onCancel={onClose} refreshes={[TENANTS]}>
      <TextInput label="Name" placeholder="Acme Pumps" data-autofocus {...field("name")} />
      <TextInput
        label="Topic segment"
        description="Of a-z, 0-9 and dash; it never changes."
        placeholder="acme"
        spellCheck={false}
        {...field("slug")}
      />
      <TextInput label="E-mail address of the first administrator" type="email" {...field("adminEmail")} />
    </Form>
  );
}

/** The checks of `muster doctor` that can run while the service works. */
function Checks() {
  const query = useQuery(checksQuery);
  return (
    <Loaded query={query}>
      {({ healthy, checks }) => (
        <>
          <Notice tone={healthy ? "good" : "bad"} title={healthy ? "Every rule holds." : "Rules are violated."}>
            {!healthy && (
              <p>
                Run <code>muster doctor</code> at the shell: it names the records.
              </p>
            )}
          </Notice>
          <div className="row">
            <Action label="Check again" onClick={() => void query.refetch()} loading={query.isFetching} />
          </div>
          <Table
            label="Checks"
            rows={checks}
            rowKey={({ name }) => name}
            columns={[
              { title: "Rule", main: true, cell: ({ name }) => sentence(name) },
              { title: "State", cell: (check) => <Status plain of={stateOf(check)} /> },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

function stateOf({ ok, level, broken }: { ok: boolean; level: string; broken: number }) {
  if (ok) return ["good", "Holds"] as const;
  return [level === "must" ? "bad" : "warn", plural(broken, "violation")] as const;
}

/** Refused clients whose tenant is not known, such as those with a certificate of another authority. */
function UnknownRefusals() {
  const list = useListState();
  return (
    <Records
      label="Refused clients"
      of="refusal"
      list={list}
      query={useQuery(unknownRefusalsQuery(list.skip))}
      table={(rows, empty) => <RefusalCards refusals={rows} empty={empty} />}
      empty={<Empty title="The broker has refused no such client." />}
    />
  );
}

const AUTHORITY_COLUMNS: readonly Column<Authority>[] = [
  { title: "Name", main: true, cell: ({ name }) => name },
  { title: "Role", cell: ({ role }) => AUTHORITY_ROLES[role] },
  { title: "State", cell: ({ status }) => <Status plain of={AUTHORITY_STATES[status]} /> },
  { title: "Expires", cell: ({ notAfter }) => <Ago at={notAfter} /> },
  { title: "Takes over", cell: ({ takeOverAt }) => <Time at={takeOverAt} /> },
  {
    title: "SHA-256",
    cell: ({ fingerprintSha256 }) => <span className="mono">{fingerprintSha256.slice(0, 16)}…</span>,
  },
];

/** Every generation of the certificate authorities, and their rotations. */
function Authorities() {
  return (
    <>
      <div className="row">
        {Object.entries(ROTATIONS).map(([rotation, { action, consequence }]) => (
          <Asks
            key={rotation}
            label={action}
            title={`${action}?`}
            action={action}
            typed="rotate"
            run={() => rotateAuthorities(rotation as Rotation)}
            done="The rotation has begun."
            refreshes={[AUTHORITIES]}
          >
            <p>{consequence}</p>
          </Asks>
        ))}
      </div>
      <TrustRollout />
      <Records label="Certificate authorities" query={useQuery(authoritiesQuery)} columns={AUTHORITY_COLUMNS} />
    </>
  );
}

/** The number of devices that have a new server root while it is rolled out. */
function TrustRollout() {
  const rollout = useQuery(trustRolloutQuery).data?.rollout;
  if (!rollout) return null;
  const { devices, trusting, takeOverAt, activatedAt } = rollout;
  const missing = devices - trusting;
  return (
    <Notice
      tone={missing === 0 ? "good" : activatedAt ? "bad" : "warn"}
      title={`${trusting.toLocaleString()} of ${devices.toLocaleString()} active devices trust the new server root`}
    >
      <p>
        {activatedAt ? "It has been in use since " : "It takes over on "}
        <Time at={activatedAt ?? takeOverAt} />. {missing === 0 ? "No device lacks it." : <Missing count={missing} />}
      </p>
    </Notice>
  );
}

function Missing({ count }: { count: number }) {
  return (
    <>
      {count.toLocaleString()} have not shown that they have it: see{" "}
      <a href="/findings?kind=server_root_missing">those of this tenant</a>.
    </>
  );
}
