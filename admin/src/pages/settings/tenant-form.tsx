import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { sessionQuery } from "../../api/session.ts";
import { TENANT, type Tenant, updateTenant } from "../../api/tenant.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";

/** The retentions that the service offers, in days (spec 6.4). */
const RETENTIONS: readonly (readonly [days: number, label: string])[] = [
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [180, "180 days"],
  [365, "a year"],
  [730, "two years"],
];

/** Changes the name of the tenant, and how long its telemetry is stored. */
export function TenantForm({ tenant, etag }: { tenant: Tenant; etag: string | undefined }) {
  const may = useMay("updateTenant");
  const refresh = useRefresh();
  const queries = useQueryClient();
  const form = useForm({
    mode: "controlled",
    initialValues: { name: tenant.name, telemetryRetentionDays: String(tenant.telemetryRetentionDays) },
    validate: rulesOf("updateTenant", ["name"]),
  });
  const submit = async ({ name, telemetryRetentionDays }: typeof form.values) => {
    await updateTenant(etag, { name, telemetryRetentionDays: Number(telemetryRetentionDays) });
    toast("Saved.");
    await Promise.all([refresh(TENANT), queries.refetchQueries({ queryKey: sessionQuery.queryKey })]);
  };
  return (
    <Form form={form} onSubmit={submit} action="Save" blocked={blockedBy(may, form.isDirty())}>
      <TextInput label="Name" {...form.getInputProps("name")} disabled={!may} />
      <NativeSelect
        label="Telemetry is stored for"
        description="For telemetry that arrives from now on; what is stored keeps the retention with which it arrived."
        disabled={!may}
        data={RETENTIONS.map(([days, label]) => ({ value: String(days), label }))}
        {...form.getInputProps("telemetryRetentionDays")}
      />
    </Form>
  );
}

function blockedBy(may: boolean, changed: boolean): string | undefined {
  if (!may) return "Only an administrator may change this.";
  return changed ? undefined : "Nothing is changed.";
}
