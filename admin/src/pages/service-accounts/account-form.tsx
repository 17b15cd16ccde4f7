import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/access/service-accounts.ts";
import type { Versioned } from "../../api/client.ts";
import { nameOfPerson, peopleQuery } from "../../api/people/people.ts";
import {
  createServiceAccount,
  SERVICE_ACCOUNTS,
  type ServiceAccount,
  serviceAccountQuery,
  updateServiceAccount,
} from "../../api/people/service-accounts.ts";
import { GroupsField } from "../../parts/form/choices-field.tsx";
import { Form, useFields, useVersion } from "../../parts/form/form.tsx";
import { LinesField, linesIn } from "../../parts/lines-field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useSession } from "../../parts/session.ts";
import { localTime } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";

/** The choices for the end of an account, in days from now. */
const LIVES = [
  { value: "90", label: t.in90Days },
  { value: "365", label: t.inAYear },
  { value: "400", label: t.in400Days },
];

interface Values {
  name: string;
  role: ServiceAccount["role"];
  /** Empty for a contact who is gone, and stays. */
  contactUserId: string;
  /** Empty for an end that stays. */
  expiresInDays: string;
  groupIds: string[];
  /** One a line. */
  addressRanges: string;
}

function valuesOf({ name, role, contact, groupIds, addressRanges }: ServiceAccount): Values {
  const contactUserId = contact.active ? contact.id : "";
  return { name, role, contactUserId, expiresInDays: "", groupIds, addressRanges: addressRanges.join("\n") };
}

/** Returns the fields as the service takes them, without those that stay. */
function fieldsOf({ name, role, contactUserId, expiresInDays, groupIds, addressRanges }: Values) {
  return {
    name,
    role,
    groupIds,
    addressRanges: linesIn(addressRanges),
    ...(contactUserId !== "" && { contactUserId }),
    ...(expiresInDays !== "" && { expiresInDays: Number(expiresInDays) }),
  };
}

export function CreateAccount({ onClose }: { onClose: () => void }) {
  const { user } = useSession();
  const initial: Values = {
    name: "",
    role: "viewer",
    contactUserId: user.id,
    expiresInDays: "365",
    groupIds: [],
    addressRanges: "",
  };
  const submit = async (values: Values) =>
    void (await createServiceAccount({ ...fieldsOf(values), expiresInDays: Number(values.expiresInDays) }));
  return <AccountForm initial={initial} action={t.createAccount} submit={submit} onClose={onClose} />;
}

export function EditAccount({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <Loaded query={useQuery(serviceAccountQuery(id))}>
      {(opened) => <EditVersion opened={opened} onClose={onClose} />}
    </Loaded>
  );
}

function EditVersion({ opened, onClose }: { opened: Versioned<ServiceAccount>; onClose: () => void }) {
  const { record, etag, load } = useVersion(opened, serviceAccountQuery(opened.record.id));
  const submit = async (values: Values) => void (await updateServiceAccount(record.id, etag, fieldsOf(values)));
  return (
    <AccountForm
      account={opened.record}
      initial={valuesOf(opened.record)}
      action={common.save}
      submit={submit}
      load={async () => valuesOf(await load())}
      onClose={onClose}
    />
  );
}

interface AccountFormProps {
  /** The account that is changed. */
  account?: ServiceAccount;
  initial: Values;
  action: string;
  submit: (values: Values) => Promise<void>;
  load?: () => Promise<Values>;
  onClose: () => void;
}

const LABELS = {
  name: common.name,
  role: common.role,
  contactUserId: t.contact,
  expiresInDays: t.ends,
  groupIds: common.groups,
  addressRanges: t.addressRanges,
};

function AccountForm({ account, initial, action, submit, load, onClose }: AccountFormProps) {
  const people = useQuery(peopleQuery()).data?.items ?? [];
  const [form, field] = useFields(initial, "createServiceAccount", { expiresInDays: () => null });
  const gone = account?.contact.active === false ? [{ value: "", label: t.isGone(account.contact.email) }] : [];
  const stays = account ? [{ value: "", label: t.staysAt(localTime(account.endsAt)) }] : [];
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={action}
      done={common.saved}
      onCancel={onClose}
      onDone={onClose}
      conflict={load && { load, labels: LABELS }}
      refreshes={[SERVICE_ACCOUNTS]}
    >
      <TextInput label={LABELS.name} placeholder={t.warehouseSync} data-autofocus {...field("name")} />
      <NativeSelect
        label={LABELS.role}
        description={t.itsKeysNeverHaveMore}
        data={Object.entries(ROLES).map(([value, label]) => ({ value, label }))}
        {...field("role")}
      />
      <NativeSelect
        label={LABELS.contactUserId}
        description={t.thePersonWhoKnows}
        data={[...gone, ...people.map((person) => ({ value: person.id, label: nameOfPerson(person) }))]}
        {...field("contactUserId")}
      />
      <NativeSelect label={LABELS.expiresInDays} data={[...stays, ...LIVES]} {...field("expiresInDays")} />
      <GroupsField label={LABELS.groupIds} description={t.seesTheirDevices} {...field("groupIds")} />
      <LinesField
        label={LABELS.addressRanges}
        description={t.requestsFromElsewhere}
        placeholder="203.0.113.0/24"
        {...field("addressRanges")}
      />
    </Form>
  );
}
