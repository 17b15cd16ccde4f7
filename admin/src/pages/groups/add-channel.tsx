import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
import type { Versioned } from "../../api/client.ts";
import type { GroupChannel } from "../../api/people/group-channels.ts";
import type { Group } from "../../api/people/groups.ts";
import {
  type ChannelType,
  channelTypesQuery,
  createIntegration,
  integrationsQuery,
  type NewIntegration,
} from "../../api/people/integrations.ts";
import { Problem } from "../../api/problem.ts";
import { CHANNEL_CHOICES } from "../../parts/channels/test-message-table.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { ServiceFields } from "./service-fields.tsx";
import { useGroupEdit } from "./use-group-edit.ts";

type Address = Pick<GroupChannel, "type" | "target">;

interface Values {
  /** A kind of channel, a type of service, or `integration`: one that is configured already. */
  type: string;
  target: string;
  name: string;
  settings: Record<string, string>;
}

const isAddress = (type: string) => type === "email" || type === "webhook";

/** The form that adds a channel to a group: an address, or a chat or paging service with its settings. */
export function AddChannel({ opened, onClose }: { opened: Versioned<Group>; onClose: () => void }) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const types = useQuery(channelTypesQuery).data?.items ?? [];
  const named = new Set(record.channels.map(({ target }) => target));
  const others = (useQuery(integrationsQuery).data?.items ?? []).filter(({ id }) => !named.has(id));
  const [form, field] = useFields<Values>({ type: "email", target: "", name: "", settings: {} }, undefined, {
    target: (value, { type }) =>
      value === "" && (isAddress(type) || type === "integration") ? common.enterAValue : null,
    name: (value, { type }) =>
      value.trim() === "" && !isAddress(type) && type !== "integration" ? common.enterAValue : null,
  });
  const { type } = form.getValues();
  const service = types.find((each) => each.type === type);
  const addressOf = useAddress();
  const submit = async (values: Values) => {
    const channel = await addressOf(values, service);
    try {
      await save({ channels: [...record.channels, channel] });
    } catch (reason) {
      throw atTarget(reason);
    }
  };
  // The other channels may have changed: the new one is added to the present ones.
  const conflict = {
    load: () => load().then(() => form.getInitialValues()),
    labels: { type: common.kind, target: t.address, name: common.name, settings: t.channels },
  };
  const configured = others.length > 0 ? [{ value: "integration", label: t.aServiceThatIsConfigured }] : [];
  const choices = [...CHANNEL_CHOICES, ...types.map(({ type, label }) => ({ value: type, label })), ...configured];
  return (
    <Form form={form} onSubmit={submit} action={t.addChannel} onCancel={onClose} conflict={conflict}>
      <NativeSelect label={common.kind} data={choices} {...field("type")} />
      {isAddress(type) && (
        <TextInput
          label={t.address}
          description={type === "email" ? t.oneMailboxItsReceiverGets : t.anHttpsAddressThatReceives}
          placeholder={type === "email" ? "pumps@acme.example" : "https://hooks.acme.example/pumps"}
          data-autofocus
          {...field("target")}
        />
      )}
      {type === "integration" && (
        <NativeSelect
          label={t.service}
          data={[{ value: "", label: "–" }, ...others.map(({ id, name }) => ({ value: id, label: name }))]}
          {...field("target")}
        />
      )}
      {service && <ServiceFields type={service} field={(name) => form.getInputProps(name)} />}
    </Form>
  );
}

/**
 * Returns a function that creates the service of a form. A second attempt with the same settings, for example after
 * another user changed the group, uses the one that the first has created.
 */
function useAddress(): (values: Values, service: ChannelType | undefined) => Promise<Address> {
  const created = useRef<{ settings: string; id: string }>(undefined);
  return async ({ type, target, name, settings }, service) => {
    if (!service) return { type: type as Address["type"], target: target.trim() };
    const shown = new Set(service.fields.map((each) => each.name));
    const given = Object.fromEntries(
      Object.entries(settings).filter(([field, value]) => shown.has(field) && value !== ""),
    );
    const body: NewIntegration = { type: service.type, name: name.trim(), settings: given };
    const text = JSON.stringify(body);
    if (created.current?.settings !== text)
      created.current = { settings: text, id: (await createIntegration(body)).id };
    return { type: "integration", target: created.current.id };
  };
}

/** Maps a refusal that names a place in the list of channels to the one field of the form. */
function atTarget(reason: unknown): unknown {
  if (!(reason instanceof Problem) || !reason.body.detail?.includes("channels")) return reason;
  return new Problem(reason.status, { ...reason.body, detail: "target" }, reason.retryAfterSeconds);
}
