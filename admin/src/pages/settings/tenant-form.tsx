import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { sessionQuery } from "../../api/session.ts";
import { TENANT, type Tenant, tenantQuery, updateTenant } from "../../api/tenant.ts";
import type { Versioned } from "../../api/versioned.ts";
import { Form } from "../../parts/form/form.tsx";
import { boundsOf, rulesOf } from "../../parts/form/rules.ts";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";

type Days = NonNullable<Schemas["TenantEdit"]["telemetryRetentionDays"]>;

/** The retentions that the service offers, in days. */
const RETENTIONS = (boundsOf("updateTenant", "telemetryRetentionDays").enum ?? []) as readonly Days[];

/** Changes the name of the tenant, and how long its telemetry is stored. */
export function TenantForm({ opened }: { opened: Versioned<Tenant> }) {
  const may = useMay("updateTenant");
  const refresh = useRefresh();
  const queries = useQueryClient();
  // What the form began with: the screen goes on to follow the tenant meanwhile.
  const [{ etag }, setVersion] = useState(opened);
  const form = useForm({
    mode: "controlled",
    initialValues: valuesOf(opened.record),
    validate: rulesOf("updateTenant", ["name"]),
  });
  const load = async () => {
    const now = await queries.fetchQuery({ ...tenantQuery, staleTime: 0 });
    setVersion(now);
    return valuesOf(now.record);
  };
  const submit = async ({ name, telemetryRetentionDays }: typeof form.values) => {
    await updateTenant(etag, { name, telemetryRetentionDays: Number(telemetryRetentionDays) as Days });
    toast("Saved.");
    form.setInitialValues(await load());
    form.reset();
    await Promise.all([refresh(TENANT), queries.refetchQueries({ queryKey: sessionQuery.queryKey })]);
  };
  return (
    <Form
      form={form}
      onSubmit={submit}
      action="Save"
      blocked={blockedBy(may, form.isDirty())}
      conflict={{ load, labels: LABELS }}
    >
      <TextInput label="Name" {...form.getInputProps("name")} disabled={!may} />
      <NativeSelect
        label="Telemetry is stored for"
        description="For telemetry that arrives from now on; what is stored keeps the retention with which it arrived."
        disabled={!may}
        data={RETENTIONS.map((days) => ({ value: String(days), label: plural(days, "day") }))}
        {...form.getInputProps("telemetryRetentionDays")}
      />
    </Form>
  );
}

const LABELS = { name: "Name", telemetryRetentionDays: "Days of telemetry" } as const;

function valuesOf({ name, telemetryRetentionDays }: Tenant) {
  return { name, telemetryRetentionDays: String(telemetryRetentionDays) };
}

function blockedBy(may: boolean, changed: boolean): string | undefined {
  if (!may) return "Only an administrator may change this.";
  return changed ? undefined : "Nothing is changed.";
}
