import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Schemas, Versioned } from "../../api/client.ts";
import { usersQuery } from "../../api/people/users.ts";
import { sessionQuery } from "../../api/session.ts";
import { TENANT, type Tenant, tenantQuery, updateTenant } from "../../api/tenant.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { boundsOf } from "../../parts/form/rules.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import type { Tone } from "../../ui/theme/tones.ts";
import { type Column, Facts, Page, plural, Section, Status, Table, Time } from "../../ui/ui.ts";

/** The tenant: its name, the retention of its telemetry, the use of its quotas. */
export default function SettingsPage() {
  return (
    <Page title="Settings" narrow>
      <Loaded query={useQuery(tenantQuery)}>
        {(tenant) => (
          <>
            <Facts framed facts={factsOf(tenant.record)} />
            <Section title="Name and retention">
              <TenantForm opened={tenant} />
            </Section>
            <Section
              title="Second factor of administrators"
              lead="A code that the sign-in asks for after the password. Each user sets up their own on the account page."
            >
              <FactorRule tenant={tenant.record} etag={tenant.etag} />
            </Section>
            <Section title="Quotas" lead="What this tenant uses of what it may have.">
              <Quotas quotas={tenant.record.quotas} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const factsOf = ({ slug, createdAt }: Tenant) => ({
  Tenant: <span className="mono">{slug}</span>,
  "Topics begin with": <span className="mono">{`t/${slug}/`}</span>,
  Created: <Time at={createdAt} />,
});

type Days = NonNullable<Schemas["TenantEdit"]["telemetryRetentionDays"]>;

/** The retentions that the service offers, in days. */
const RETENTIONS = (boundsOf("updateTenant", "telemetryRetentionDays").enum ?? []) as readonly Days[];

const LABELS = { name: "Name", telemetryRetentionDays: "Days of telemetry" };

/** Changes the name of the tenant, and the retention of its telemetry. */
function TenantForm({ opened }: { opened: Versioned<Tenant> }) {
  const may = useMay("updateTenant");
  const refresh = useRefresh();
  const queries = useQueryClient();
  const { etag, ...version } = useVersion(opened, tenantQuery);
  const [form, field] = useFields(valuesOf(opened.record), "updateTenant", { telemetryRetentionDays: () => null });
  const load = async () => valuesOf(await version.load());
  const submit = async ({ name, telemetryRetentionDays }: typeof form.values) => {
    await updateTenant(etag, { name, telemetryRetentionDays: Number(telemetryRetentionDays) as Days });
    toast("Saved.");
    form.setInitialValues(await load());
    form.reset();
    await Promise.all([refresh(TENANT), queries.refetchQueries({ queryKey: sessionQuery.queryKey })]);
  };
  const blocked = blockedBy(may, form.isDirty());
  return (
    <Form form={form} onSubmit={submit} action="Save" blocked={blocked} conflict={{ load, labels: LABELS }}>
      <TextInput label="Name" {...field("name")} disabled={!may} />
      <NativeSelect
        label="Telemetry is stored for"
        description="For telemetry that arrives from now on; what is stored keeps the retention with which it arrived."
        disabled={!may}
        data={RETENTIONS.map((days) => ({ value: String(days), label: plural(days, "day") }))}
        {...field("telemetryRetentionDays")}
      />
    </Form>
  );
}

function valuesOf({ name, telemetryRetentionDays }: Tenant) {
  return { name, telemetryRetentionDays: String(telemetryRetentionDays) };
}

function blockedBy(may: boolean, changed: boolean): string | undefined {
  if (!may) return "Only an administrator may change this.";
  return changed ? undefined : "Nothing is changed.";
}

/** Whether every administrator must have a second factor. */
function FactorRule({ tenant, etag }: { tenant: Tenant; etag: string | undefined }) {
  const may = useMay("updateTenant");
  const own = useSession().factor === "given";
  const on = tenant.adminsNeedFactor;
  return (
    <>
      <div>
        <Status of={on ? ["good", "Required"] : ["neutral", "Not required"]} />
      </div>
      {may && (
        <div className="row">
          <Change on={on} etag={etag} disabled={!on && !own} />
          {!on && !own && (
            <span className="soft">
              Set up your own first, on the page of your <a href="/account">account</a>.
            </span>
          )}
        </div>
      )}
    </>
  );
}

function Change({ on, etag, disabled }: { on: boolean; etag: string | undefined; disabled: boolean }) {
  const action = on ? "No longer require it" : "Require it";
  return (
    <Asks
      label={action}
      disabled={disabled}
      title={on ? "No longer require a second factor?" : "Require a second factor of every administrator?"}
      action={action}
      harmless={!on}
      run={() => updateTenant(etag, { adminsNeedFactor: !on })}
      done={on ? "Administrators no longer need a second factor." : "Every administrator needs a second factor now."}
      refreshes={[TENANT]}
    >
      {on && <p>Administrators can turn theirs off then. Those who have one keep it until they do.</p>}
      {!on && <WhoMustAct />}
    </Asks>
  );
}

/** The administrators without a second factor, whom the rule stops. */
function WhoMustAct() {
  const admins = useQuery({ ...usersQuery({ role: "admin", status: "active", skip: 0 }), staleTime: 0 });
  return (
    <Loaded query={admins}>
      {({ items, total }) => {
        const without = items.filter(({ secondFactor }) => !secondFactor);
        if (without.length === 0 && total === items.length) return <p>Every administrator has one already.</p>;
        return (
          <>
            <p>
              These administrators have none. Their sessions end at once; at the next sign-in they set one up before
              anything else. Their API keys stay.
            </p>
            <ul>
              {without.map(({ id, email }) => (
                <li key={id}>{email}</li>
              ))}
              {total > items.length && <li>perhaps more: the list of users is longer</li>}
            </ul>
          </>
        );
      }}
    </Loaded>
  );
}

type Quota = Tenant["quotas"][number];

function Quotas({ quotas }: { quotas: readonly Quota[] }) {
  const rows = quotas.toSorted((a, b) => shareOf(b) - shareOf(a));
  return <Table label="Quotas" columns={COLUMNS} rows={rows} rowKey={({ quota }) => quota} />;
}

const COLUMNS: readonly Column<Quota>[] = [
  { title: "What is counted", main: true, cell: ({ of }) => of.charAt(0).toUpperCase() + of.slice(1) },
  { title: "Used", numeric: true, cell: ({ used }) => used.toLocaleString() },
  { title: "Limit", numeric: true, cell: ({ limit }) => limit.toLocaleString() },
  { title: "Share", cell: (quota) => <Share quota={quota} /> },
  { title: "Set for", cell: ({ own }) => <span className="nowrap">{own ? "this tenant" : "all tenants"}</span> },
];

function Share({ quota }: { quota: Quota }) {
  const share = shareOf(quota);
  return (
    <span className="nowrap">
      <Status of={[toneOf(share), share > 0 && share < 0.01 ? "under 1 %" : `${Math.floor(share * 100)} %`]} plain />
    </span>
  );
}

function shareOf({ used, limit }: Quota): number {
  return limit === 0 ? 1 : used / limit;
}

function toneOf(share: number): Tone {
  if (share >= 1) return "bad";
  return share >= 0.8 ? "warn" : "neutral";
}
