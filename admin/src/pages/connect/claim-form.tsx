import { NativeSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, must, type Schemas } from "../../api/client.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { Form } from "../../parts/form/form.tsx";
import { rulesOf } from "../../parts/form/rules.ts";
import { Loaded } from "../../parts/loaded.tsx";

interface ClaimFormProps {
  onCreated: (claim: Schemas["CreatedClaim"]) => void;
}

const NEW = "new";
/** What a type is made with when the tenant has none: one topic, which any telemetry may use. */
const FIRST_TYPE = { name: "Device", publishTopics: ["telemetry/{deviceId}"] };

/** Asks what connects, and creates a claim for it. */
export function ClaimForm({ onCreated }: ClaimFormProps) {
  return (
    <Loaded query={useQuery(deviceTypesQuery)}>
      {({ items }) => <ClaimFields types={items} onCreated={onCreated} />}
    </Loaded>
  );
}

function ClaimFields({ types, onCreated }: ClaimFormProps & { types: readonly Schemas["DeviceType"][] }) {
  const queries = useQueryClient();
  const form = useForm({
    mode: "controlled",
    initialValues: { intendedName: "", type: types[0]?.id ?? NEW },
    validate: rulesOf("createClaim", ["intendedName"]),
  });
  const submit = async ({ intendedName, type }: { intendedName: string; type: string }) => {
    const intendedDeviceTypeId = type === NEW ? (await createType(queries)).id : type;
    onCreated(await must(api.POST("/api/admin/claims", { body: { intendedName, intendedDeviceTypeId } })));
  };
  const choices = types.map(({ id, name, publishTopics }) => ({
    value: id,
    label: `${name}: ${publishTopics.join(", ")}`,
  }));
  return (
    <Form form={form} onSubmit={submit} action="Continue">
      <TextInput label="Name" placeholder="Feed pump 1" autoFocus {...form.getInputProps("intendedName")} />
      <NativeSelect
        label="Type"
        description="Decides the topics that the device may publish on."
        data={[...choices, { value: NEW, label: `A new type that publishes on ${FIRST_TYPE.publishTopics[0]}` }]}
        {...form.getInputProps("type")}
      />
    </Form>
  );
}

async function createType(queries: ReturnType<typeof useQueryClient>): Promise<Schemas["DeviceType"]> {
  const type = await must(api.POST("/api/admin/device-types", { body: FIRST_TYPE }));
  await queries.invalidateQueries({ queryKey: ["/api/admin/device-types"] });
  return type;
}
