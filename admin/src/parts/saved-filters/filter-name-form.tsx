import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { FILTERS, type FilteredList, saveFilter } from "../../api/people/saved-filters.ts";
import { Form } from "../form/form.tsx";
import { rulesOf } from "../form/rules.ts";
import { toast } from "../toasts.tsx";
import { useRefresh } from "../use-refresh.ts";

interface FilterNameFormProps {
  list: FilteredList;
  values: Record<string, string>;
  onClose: () => void;
}

/** Names the filter that is saved. */
export function FilterNameForm({ list, values, onClose }: FilterNameFormProps) {
  const refresh = useRefresh();
  const form = useForm({
    mode: "controlled",
    initialValues: { name: "" },
    validate: rulesOf("saveFilter", ["name"]),
  });
  const submit = async ({ name }: { name: string }) => {
    await saveFilter({ list, name, values });
    await refresh(FILTERS);
    toast(`The filter is saved as ${name}.`);
    onClose();
  };
  return (
    <Form form={form} onSubmit={submit} action="Save filter" onCancel={onClose}>
      <TextInput
        label="Name"
        description="For yourself: other users do not see it."
        data-autofocus
        {...form.getInputProps("name")}
      />
    </Form>
  );
}
