import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/platform.ts";
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
import { PartsPage } from "../../parts/record-page.tsx";
import { useListState } from "../../parts/url-state.ts";
import { numberText } from "../../texts/number-text.ts";
import { sentence } from "../../texts/sentence.ts";
import { Action, Ago, type Column, Empty, Notice, Opens, Secret, ShownOnce, Status, Table, Time } from "../../ui/ui.ts";
import { AUTHORITY_ROLES, AUTHORITY_STATES, ROTATIONS } from "../../words/authorities.ts";
import { RefusalCards } from "../refusals/refusal-card.tsx";

const PARTS = {
  tenants: { label: t.tenants, content: TenantList, lead: t.everyTenantOfTheInstallation },
  authorities: {
    label: t.certificateAuthorities,
    content: Authorities,
    lead: t.whatIssuesClientCertificatesAnd,
  },
  checks: { label: t.checks, content: Checks, lead: t.whetherTheStoredStateFollows },
  refusals: {
    label: t.refusedClients,
    content: UnknownRefusals,
    lead: t.clientsThatTheBrokerRefused,
  },
};

export default function PlatformPage() {
  return <PartsPage title={t.platform} path="/platform" label={t.platform} parts={PARTS} />;
}

const COLUMNS: readonly Column<TenantSummary>[] = [
  { title: common.name, main: true, cell: ({ name }) => name },
  { title: t.topicsBeginWith, cell: ({ slug }) => <span className="mono">{`t/${slug}/`}</span> },
  { title: common.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function TenantList() {
  const list = useListState();
  return (
    <>
      <div className="row">
        <Opens main label={t.createTenant} title={t.createATenant}>
          {(close) => <CreateTenant onClose={close} />}
        </Opens>
      </div>
      <Records
        label={t.tenants}
        of={nouns.tenant}
        list={list}
        query={useQuery(tenantsQuery(list.skip))}
        columns={COLUMNS}
      />
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
      <ShownOnce title={made.name} done={t.iHaveCopiedIt} onDone={onClose}>
        <Secret label={t.firstPasswordOf(made.admin.email)} value={made.admin.password} />
        <p>{t.theAdministratorSignsInWith}</p>
      </ShownOnce>
    );
  return (
    <Form form={form} onSubmit={submit} action={t.createTenant} onCancel={onClose} refreshes={[TENANTS]}>
      <TextInput label={common.name} placeholder={t.acmePumps} data-autofocus {...field("name")} />
      <TextInput
        label={t.topicSegment}
        description={t.ofAZ09}
        placeholder={t.acme}
        spellCheck={false}
        {...field("slug")}
      />
      <TextInput label={t.eMailAddressOfThe} type="email" {...field("adminEmail")} />
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
          <Verdict healthy={healthy} warnings={checks.filter(({ ok, level }) => !ok && level !== "must").length} />
          <div className="row">
            <Action label={t.checkAgain} onClick={() => void query.refetch()} loading={query.isFetching} />
          </div>
          <Table
            label={t.checks}
            rows={checks}
            rowKey={({ name }) => name}
            columns={[
              { title: t.rule, main: true, cell: ({ name }) => sentence(name) },
              { title: common.state, cell: (check) => <Status plain of={stateOf(check)} /> },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

/** Says whether all invariants hold, and how many checks warn. */
function Verdict({ healthy, warnings }: { healthy: boolean; warnings: number }) {
  if (!healthy)
    return (
      <Notice tone="bad" title={t.rulesAreViolated}>
        <p>{t.runAtTheShellIt(<code>muster doctor</code>)}</p>
      </Notice>
    );
  return warnings > 0 ? (
    <Notice tone="warn" title={t.allInvariantsHold(nouns.warning(warnings))} />
  ) : (
    <Notice tone="good" title={t.everyRuleHolds} />
  );
}

function stateOf({ ok, level, broken }: { ok: boolean; level: string; broken: number }) {
  if (ok) return ["good", t.holds] as const;
  return [level === "must" ? "bad" : "warn", nouns.violation(broken)] as const;
}

/** Refused clients whose tenant is not known, such as those with a certificate of another authority. */
function UnknownRefusals() {
  const list = useListState();
  return (
    <Records
      label={t.refusedClients}
      of={nouns.refusal}
      list={list}
      query={useQuery(unknownRefusalsQuery(list.skip))}
      table={(rows, empty) => <RefusalCards refusals={rows} empty={empty} />}
      empty={<Empty title={t.theBrokerHasRefusedNo} />}
    />
  );
}

const AUTHORITY_COLUMNS: readonly Column<Authority>[] = [
  { title: common.name, main: true, cell: ({ name }) => name },
  { title: common.role, cell: ({ role }) => AUTHORITY_ROLES[role] },
  { title: common.state, cell: ({ status }) => <Status plain of={AUTHORITY_STATES[status]} /> },
  { title: common.expires, cell: ({ notAfter }) => <Ago at={notAfter} /> },
  { title: t.takesOver, cell: ({ takeOverAt }) => <Time at={takeOverAt} /> },
  {
    title: t.sha256,
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
            done={t.theRotationHasBegun}
            refreshes={[AUTHORITIES]}
          >
            <p>{consequence}</p>
          </Asks>
        ))}
      </div>
      <TrustRollout />
      <Records label={t.certificateAuthorities} query={useQuery(authoritiesQuery)} columns={AUTHORITY_COLUMNS} />
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
      title={t.ofActiveDevicesTrustThe(numberText(trusting), numberText(devices))}
    >
      <p>
        {activatedAt ? t.itHasBeenInUse : t.itTakesOverOn}
        <Time at={activatedAt ?? takeOverAt} />. {missing === 0 ? t.noDeviceLacksIt : <Missing count={missing} />}
      </p>
    </Notice>
  );
}

function Missing({ count }: { count: number }) {
  return (
    <>
      {t.haveNotShownThatThey(numberText(count))}
      <a href="/findings?kind=server_root_missing">{t.thoseOfThisTenant}</a>.
    </>
  );
}
