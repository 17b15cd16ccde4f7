import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/platform.ts";
import { t as provisioning } from "#texts/pages/settings/provisioning.ts";
import { t as sso } from "#texts/pages/settings/single-sign-on.ts";
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
import { numberText } from "../../texts/number-text.ts";
import type { Tone } from "../../ui/theme/tones.ts";
import { Action, type Column, Facts, Page, Section, Status, Table, Time } from "../../ui/ui.ts";
import { Provisioning } from "./provisioning.tsx";

/** The tenant: its name, the retention of its telemetry, the use of its quotas. */
export default function SettingsPage() {
  return (
    <Page title={t.settings} narrow>
      <Loaded query={useQuery(tenantQuery)}>
        {(tenant) => (
          <>
            <Facts framed facts={factsOf(tenant.record)} />
            <Section title={t.nameAndRetention}>
              <TenantForm opened={tenant} />
            </Section>
            <Section title={t.secondFactorOfAdministrators} lead={t.aCodeThatTheSign}>
              <FactorRule tenant={tenant.record} etag={tenant.etag} />
            </Section>
            <Section title={sso.title} lead={sso.lead}>
              <div>
                <Action label={sso.open} href="/settings/single-sign-on" />
              </div>
            </Section>
            <Section title={provisioning.provisioning} lead={provisioning.theIdentityProviderKeeps}>
              <Provisioning />
            </Section>
            <Section title={t.quotas} lead={t.whatThisTenantUsesOf}>
              <Quotas quotas={tenant.record.quotas} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const factsOf = ({ slug, createdAt }: Tenant) => ({
  [t.tenant]: <span className="mono">{slug}</span>,
  [t.topicsBeginWith]: <span className="mono">{`t/${slug}/`}</span>,
  [common.created]: <Time at={createdAt} />,
});

type Days = NonNullable<Schemas["TenantEdit"]["telemetryRetentionDays"]>;

/** The retentions that the service offers, in days. */
const RETENTIONS = (boundsOf("updateTenant", "telemetryRetentionDays").enum ?? []) as readonly Days[];

const LAST_RESORTS = Object.entries(t.lastResorts).map(([value, label]) => ({ value, label }));

const LABELS = {
  name: common.name,
  telemetryRetentionDays: t.daysOfTelemetry,
  lastResort: t.ifAPageReachesNobody,
  causeWaitMinutes: t.minutesForOthers,
  flapsAbove: t.openingsAnHour,
};

/** Changes the name of the tenant, the retention of its telemetry, and how its groups are paged. */
function TenantForm({ opened }: { opened: Versioned<Tenant> }) {
  const may = useMay("updateTenant");
  const refresh = useRefresh();
  const queries = useQueryClient();
  const { etag, ...version } = useVersion(opened, tenantQuery);
  const [form, field] = useFields(valuesOf(opened.record), "updateTenant", { telemetryRetentionDays: () => null });
  const load = async () => valuesOf(await version.load());
  const submit = async ({ telemetryRetentionDays, ...values }: typeof form.values) => {
    await updateTenant(etag, { ...values, telemetryRetentionDays: Number(telemetryRetentionDays) as Days });
    toast(common.saved);
    form.setInitialValues(await load());
    form.reset();
    await Promise.all([refresh(TENANT), queries.refetchQueries({ queryKey: sessionQuery.queryKey })]);
  };
  const blocked = blockedBy(may, form.isDirty());
  return (
    <Form form={form} onSubmit={submit} action={common.save} blocked={blocked} conflict={{ load, labels: LABELS }}>
      <TextInput label={common.name} {...field("name")} disabled={!may} />
      <NativeSelect
        label={t.telemetryIsStoredFor}
        description={t.forTelemetryThatArrivesFrom}
        disabled={!may}
        data={RETENTIONS.map((days) => ({ value: String(days), label: nouns.day(days) }))}
        {...field("telemetryRetentionDays")}
      />
      <NativeSelect
        label={t.ifAPageReachesNobody}
        description={t.aPageReachesNobodyIf}
        disabled={!may}
        data={LAST_RESORTS}
        {...field("lastResort")}
      />
      <NumberInput
        label={t.minutesForOthers}
        description={t.aSilentDeviceWaits}
        disabled={!may}
        allowDecimal={false}
        hideControls
        {...field("causeWaitMinutes")}
      />
      <NumberInput
        label={t.openingsAnHour}
        description={t.moreOpeningsFlap}
        disabled={!may}
        allowDecimal={false}
        hideControls
        {...field("flapsAbove")}
      />
    </Form>
  );
}

function valuesOf({ name, telemetryRetentionDays, lastResort, causeWaitMinutes, flapsAbove }: Tenant) {
  return { name, telemetryRetentionDays: String(telemetryRetentionDays), lastResort, causeWaitMinutes, flapsAbove };
}

function blockedBy(may: boolean, changed: boolean): string | undefined {
  if (!may) return t.onlyAnAdministratorMayChange;
  return changed ? undefined : t.nothingIsChanged;
}

/** Whether every administrator must have a second factor. */
function FactorRule({ tenant, etag }: { tenant: Tenant; etag: string | undefined }) {
  const may = useMay("updateTenant");
  const own = useSession().factor === "given";
  const on = tenant.adminsNeedFactor;
  return (
    <>
      <div>
        <Status of={on ? ["good", t.required] : ["neutral", t.notRequired]} />
      </div>
      {may && (
        <div className="row">
          <Change on={on} etag={etag} disabled={!on && !own} />
          {!on && !own && <span className="soft">{t.setUpYourOwnFirst(<a href="/account">{t.account}</a>)}</span>}
        </div>
      )}
    </>
  );
}

function Change({ on, etag, disabled }: { on: boolean; etag: string | undefined; disabled: boolean }) {
  const action = on ? t.noLongerRequireIt : t.requireIt;
  return (
    <Asks
      label={action}
      disabled={disabled}
      title={on ? t.noLongerRequireASecond : t.requireASecondFactorOf}
      action={action}
      harmless={!on}
      run={() => updateTenant(etag, { adminsNeedFactor: !on })}
      done={on ? t.administratorsNoLongerNeedA : t.everyAdministratorNeedsASecond}
      refreshes={[TENANT]}
    >
      {on && <p>{t.administratorsCanTurnTheirsOff}</p>}
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
        if (without.length === 0 && total === items.length) return <p>{t.everyAdministratorHasOneAlready}</p>;
        return (
          <>
            <p>{t.theseAdministratorsHaveNoneTheir}</p>
            <ul>
              {without.map(({ id, email }) => (
                <li key={id}>{email}</li>
              ))}
              {total > items.length && <li>{t.perhapsMoreTheListOf}</li>}
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
  return <Table label={t.quotas} columns={COLUMNS} rows={rows} rowKey={({ quota }) => quota} />;
}

const COLUMNS: readonly Column<Quota>[] = [
  { title: t.whatIsCounted, main: true, cell: ({ of }) => of.charAt(0).toUpperCase() + of.slice(1) },
  { title: t.used, numeric: true, cell: ({ used }) => numberText(used) },
  { title: common.limit, numeric: true, cell: ({ limit }) => numberText(limit) },
  { title: t.share, cell: (quota) => <Share quota={quota} /> },
  { title: t.setFor, cell: ({ own }) => <span className="nowrap">{own ? t.thisTenant : t.allTenants}</span> },
];

function Share({ quota }: { quota: Quota }) {
  const share = shareOf(quota);
  return (
    <span className="nowrap">
      <Status of={[toneOf(share), share > 0 && share < 0.01 ? t.under1 : `${Math.floor(share * 100)} %`]} plain />
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
