import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  addOwnChannel,
  type NotificationChoices,
  OWN_NOTIFICATIONS,
  type OwnChannel,
  type OwnNotifications,
  ownNotificationsQuery,
  ownTestsQuery,
  removeOwnChannel,
  setOwnNotifications,
  testOwnNotifications,
} from "../../../api/people/own-notifications.ts";
import { Asks } from "../../../parts/act/confirm.tsx";
import { useAct } from "../../../parts/act/use-act.tsx";
import { SendLink } from "../../../parts/channels/send-link.tsx";
import { CHANNEL_CHOICES, TestMessageTable } from "../../../parts/channels/test-message-table.tsx";
import { Form, useFields } from "../../../parts/form/form.tsx";
import { timeZones } from "../../../parts/form/rules.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { toast } from "../../../parts/toasts.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";
import { Word } from "../../../parts/word.tsx";
import { Action, Ago, type Column, Empty, Opens, Secret, Section, ShownOnce, Table } from "../../../ui/ui.ts";
import { CHANNEL_STATES, CHANNEL_TYPES } from "../../../words/on-call.ts";

export function OwnNotificationSections() {
  const query = useQuery(ownNotificationsQuery);
  return (
    <>
      <Section
        title="Your channels"
        lead="Where your messages go besides the address of your account. Each is confirmed before it is used."
      >
        <Loaded query={query}>{(own) => <OwnChannels own={own} />}</Loaded>
      </Section>
      <Section
        title="Quiet choices"
        lead="When you want no pages. A group decides which of its pages are always sent: those of critical anomalies, if nothing else is set."
      >
        <Loaded query={query}>{(own) => <QuietChoices own={own} />}</Loaded>
      </Section>
    </>
  );
}

const COLUMNS: readonly Column<OwnChannel>[] = [
  { title: "Address", main: true, cell: ({ target }) => <span className="mono">{target}</span> },
  { title: "Kind", cell: ({ type }) => CHANNEL_TYPES[type] },
  { title: "State", cell: (channel) => <State {...channel} /> },
  { title: "Actions", cell: (channel) => <Acts channel={channel} /> },
];

function OwnChannels({ own: { channels, email } }: { own: OwnNotifications }) {
  const tests = useQuery(ownTestsQuery).data?.items ?? [];
  const { act, busy, problem } = useAct();
  const refresh = useRefresh();
  const test = () => act(() => testOwnNotifications().then(() => refresh(OWN_NOTIFICATIONS)));
  const empty = <Empty title="You have no channel of your own.">Messages go to {email}.</Empty>;
  return (
    <>
      <Table label="Your channels" columns={COLUMNS} rows={channels} empty={empty} />
      <div className="row">
        <Opens label="Add a channel" title="Add a channel of your own" keep>
          {(close) => <AddOwnChannel onClose={close} />}
        </Opens>
        <Action label="Send me a test message" loading={busy} onClick={() => void test()} />
      </div>
      {problem}
      {tests.length > 0 && <TestMessageTable items={tests} />}
    </>
  );
}

function State({ state, requestedAt }: OwnChannel) {
  return (
    <>
      <Word of={CHANNEL_STATES} value={state} plain />
      {state === "requested" && (
        <div className="soft">
          link sent <Ago at={requestedAt} />
        </div>
      )}
    </>
  );
}

/** The states in which the receiver can be asked once more to confirm. */
const ASKABLE: ReadonlySet<OwnChannel["state"]> = new Set(["expired", "requested", "disabled"]);

function Acts({ channel: { id, state, type, target } }: { channel: OwnChannel }) {
  return (
    <div className="row">
      {ASKABLE.has(state) && <SendLink send={() => addOwnChannel({ type, target })} refreshes={OWN_NOTIFICATIONS} />}
      <Asks
        small
        label="Remove"
        title="Remove this channel?"
        action="Remove channel"
        run={() => removeOwnChannel(id)}
        refreshes={[OWN_NOTIFICATIONS]}
      >
        <p>
          No message of yours is sent to <span className="mono">{target}</span> any more.
        </p>
      </Asks>
    </div>
  );
}

/** Adds an address of the user's own; the secret of a webhook is shown once. */
function AddOwnChannel({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const refresh = useRefresh();
  const [form, field] = useFields<Pick<OwnChannel, "type" | "target">>({ type: "email", target: "" }, undefined, {
    target: (value) => (value.trim() === "" ? "Enter a value." : null),
  });
  const submit = async ({ type, target }: typeof form.values) => {
    const added = await addOwnChannel({ type, target: target.trim() });
    await refresh(OWN_NOTIFICATIONS);
    if (added.secret !== null) return setSecret(added.secret);
    toast("Its receiver gets a link to confirm it.");
    onClose();
  };
  if (secret !== undefined)
    return (
      <ShownOnce title="Add a channel of your own" done="Done" onDone={onClose}>
        <Secret label="Signing secret" value={secret}>
          <p>Messages to this webhook are signed with it (Standard Webhooks), so that the receiver can verify them.</p>
        </Secret>
      </ShownOnce>
    );
  const isMail = form.getValues().type === "email";
  const description = isMail
    ? "One mailbox. It gets a link; open it to confirm."
    : "An https address that receives a POST. It answers the first one with its challenge, or you open the link in it.";
  return (
    <Form form={form} onSubmit={submit} action="Add channel" onCancel={onClose}>
      <NativeSelect label="Kind" data={CHANNEL_CHOICES} {...field("type")} />
      <TextInput
        label="Address"
        description={description}
        placeholder={isMail ? "ada@home.example" : "https://hooks.home.example/ada"}
        data-autofocus
        {...field("target")}
      />
    </Form>
  );
}

type Values = Record<"accountEmail" | "quiet" | "onlyOnShift" | "criticalToo", boolean> &
  Record<"startTime" | "endTime" | "timeZone", string>;

/** The times when the user wants no pages, within the limits that groups set. */
function QuietChoices({ own }: { own: OwnNotifications }) {
  const [form, field] = useFields<Values>(valuesOf(own), undefined, {
    startTime: (value, { quiet }) => (quiet && value === "" ? "Enter a time." : null),
    endTime: (value, { quiet, startTime }) => {
      if (!quiet) return null;
      if (value === "") return "Enter a time.";
      return value === startTime ? "Quiet hours must begin and end at different times." : null;
    },
  });
  const submit = (values: Values) => setOwnNotifications(choicesOf(values)).then(() => form.resetDirty());
  const { quiet, onlyOnShift, timeZone } = form.getValues();
  const check = (name: "accountEmail" | "quiet" | "onlyOnShift" | "criticalToo") => field(name, { type: "checkbox" });
  return (
    <Form form={form} onSubmit={submit} action="Save choices" done="Saved." refreshes={[OWN_NOTIFICATIONS]}>
      <Checkbox
        label={`Messages to ${own.email}`}
        description="Without a confirmed channel they go there in any case."
        {...check("accountEmail")}
      />
      <Checkbox label="Quiet hours, every day" {...check("quiet")} />
      {quiet && (
        <>
          <div className="row">
            <TextInput type="time" label="From" {...field("startTime")} />
            <TextInput type="time" label="Until" {...field("endTime")} />
          </div>
          <NativeSelect label="Time zone" data={timeZones(timeZone)} {...field("timeZone")} />
        </>
      )}
      <Checkbox
        label="Page me only while I am on duty"
        description="Of each group: on one of its shifts."
        {...check("onlyOnShift")}
      />
      {(quiet || onlyOnShift) && (
        <Checkbox
          label="Hold back critical pages as well"
          description="Only those of groups that allow it; the others are always sent."
          {...check("criticalToo")}
        />
      )}
      <p className="soft">
        What is held back is in the list of messages. It is sent when the quiet hours end or your next duty begins, if
        the anomaly is still open. Where no other user gets the page, the next step of escalation follows at once.
      </p>
    </Form>
  );
}

function valuesOf({ accountEmail, quietHours, onlyOnShift, criticalToo }: NotificationChoices): Values {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const hours = quietHours ?? { startTime: "22:00", endTime: "06:00", timeZone };
  return { accountEmail, onlyOnShift, criticalToo, quiet: quietHours !== null, ...hours };
}

function choicesOf(values: Values): NotificationChoices {
  const { accountEmail, quiet, onlyOnShift, criticalToo, startTime, endTime, timeZone } = values;
  const quietHours = quiet ? { startTime, endTime, timeZone } : null;
  return { accountEmail, quietHours, onlyOnShift, criticalToo: criticalToo && (quiet || onlyOnShift) };
}
