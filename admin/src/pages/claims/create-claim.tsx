import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { CLAIMS, type CreatedClaim, claimCodeQuery, createClaim } from "../../api/claims.ts";
import { type DeviceType, deviceTypesQuery } from "../../api/device-types.ts";
import { Form } from "../../parts/form/form.tsx";
import { GroupsField } from "../../parts/form/groups-field.tsx";
import { boundsOf, rulesOf } from "../../parts/form/rules.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Dialog } from "../../ui/input/dialog.tsx";

/** Creates a claim and leads to its page, which shows the code. */
export function CreateClaim({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const types = useQuery({ ...deviceTypesQuery, enabled: opened });
  const queries = useQueryClient();
  const router = useRouter();
  const refresh = useRefresh();
  const created = async ({ id, claimCode }: CreatedClaim) => {
    queries.setQueryData(claimCodeQuery(id).queryKey, claimCode);
    await router.navigate({ href: `/claims/${id}` });
    await refresh(CLAIMS);
  };
  return (
    <Dialog title="Create a claim" opened={opened} onClose={onClose}>
      <Loaded query={types}>{({ items }) => <Fields types={items} onCancel={onClose} onCreated={created} />}</Loaded>
    </Dialog>
  );
}

/** Lives of a claim to choose from; the service bounds them. */
const MINUTES: readonly (readonly [minutes: number, label: string])[] = [
  [5, "5 minutes"],
  [15, "15 minutes"],
  [60, "an hour"],
  [240, "4 hours"],
  [480, "8 hours"],
  [1_440, "a day"],
];

interface Values extends Record<string, unknown> {
  intendedName: string;
  /** Empty for none. */
  intendedDeviceTypeId: string;
  intendedGroupIds: string[];
  expiresInMinutes: string;
  /** Text while it is typed. */
  maxUses: number | string;
}

function claimOf({ intendedName, intendedDeviceTypeId, intendedGroupIds, ...values }: Values) {
  return {
    intendedName,
    intendedGroupIds,
    ...(intendedDeviceTypeId === "" ? {} : { intendedDeviceTypeId }),
    expiresInMinutes: Number(values.expiresInMinutes),
    maxUses: Number(values.maxUses),
  };
}

interface FieldsProps {
  types: readonly DeviceType[];
  onCancel: () => void;
  onCreated: (claim: CreatedClaim) => Promise<void>;
}

function Fields({ types, onCancel, onCreated }: FieldsProps) {
  const form = useForm<Values>({
    mode: "controlled",
    initialValues: {
      intendedName: "",
      intendedDeviceTypeId: types[0]?.id ?? "",
      intendedGroupIds: [],
      expiresInMinutes: "60",
      maxUses: 1,
    },
    validate: rulesOf("createClaim", ["intendedName", "maxUses"]),
  });
  const submit = async (values: Values) => onCreated(await createClaim(claimOf(values)));
  const { minimum, maximum } = boundsOf("createClaim", "maxUses");
  return (
    <Form form={form} onSubmit={submit} action="Create claim" onCancel={onCancel}>
      <TextInput
        label="For"
        description="The name that its devices get."
        placeholder="Feed pump 1"
        data-autofocus
        {...form.getInputProps("intendedName")}
      />
      <NativeSelect
        label="Type"
        description="Decides the topics that its devices may publish on."
        data={[
          ...types.map(({ id, name, publishTopics }) => ({ value: id, label: `${name}: ${publishTopics.join(", ")}` })),
          { value: "", label: "no type: its devices publish on no topic" },
        ]}
        {...form.getInputProps("intendedDeviceTypeId")}
      />
      <NumberInput
        label="Devices"
        description="How many devices can enroll with the code."
        allowDecimal={false}
        min={minimum ?? 1}
        {...(maximum === undefined ? {} : { max: maximum })}
        {...form.getInputProps("maxUses")}
      />
      <NativeSelect
        label="Valid for"
        data={MINUTES.map(([minutes, label]) => ({ value: String(minutes), label }))}
        {...form.getInputProps("expiresInMinutes")}
      />
      <GroupsField
        label="Groups"
        description="Its devices join them. Without a group only administrators see the devices."
        {...form.getInputProps("intendedGroupIds")}
      />
    </Form>
  );
}
