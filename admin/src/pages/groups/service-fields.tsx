import { NativeSelect, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { common } from "#texts/common.ts";
import { FIELDS, t } from "#texts/pages/groups.ts";
import type { ChannelType } from "../../api/people/integrations.ts";

type Field = ChannelType["fields"][number];

interface ServiceFieldsProps {
  type: ChannelType;
  /** Returns the properties of a field of the form by its path. */
  field: (path: string) => object;
}

/** The fields of a chat or paging service, as the service describes them. */
export function ServiceFields({ type, field }: ServiceFieldsProps) {
  return (
    <>
      <TextInput
        label={common.name}
        description={t.theNameThatGroupsShow}
        placeholder={type.label}
        {...field("name")}
      />
      {type.fields.map((each) => (
        <ServiceField key={each.name} of={each} input={{ value: "", ...field(`settings.${each.name}`) }} />
      ))}
      <p className="soft">{t.theServiceGetsATest}</p>
    </>
  );
}

function ServiceField({ of, input }: { of: Field; input: object }) {
  const { name, kind, required, secret, choices, fallback, example } = of;
  const label = (FIELDS as Record<string, string>)[name] ?? name;
  const shown = { label, ...(secret && { description: t.isEncryptedAndNeverShown }), placeholder: example || fallback };
  if (kind === "choice") return <NativeSelect label={label} data={choices} {...input} />;
  if (kind === "text") return <Textarea autosize minRows={2} className="mono" {...shown} {...input} />;
  if (secret) return <PasswordInput autoComplete="off" {...shown} withAsterisk={required} {...input} />;
  return <TextInput {...shown} withAsterisk={required} {...input} />;
}
