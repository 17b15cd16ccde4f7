import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/account.ts";
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
import { Loaded } from "../../../parts/loaded.tsx";
import { toast } from "../../../parts/toasts.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";
import { Word } from "../../../parts/word.tsx";
import { timeZonesWith } from "../../../ui/display/time-zones.ts";
import { Action, Ago, type Column, Empty, Opens, ownZone, Secret, Section, ShownOnce, Table } from "../../../ui/ui.ts";
import { CHANNEL_STATES, CHANNEL_TYPES } from "../../../words/on-call.ts";
import { AddBrowser } from "./add-browser.tsx";

export function OwnNotificationSections() {
  const query = useQuery(ownNotificationsQuery);
  return (
    <>
      <Section title={t.yourChannels} lead={t.whereYourMessagesGoBesides}>
        <Loaded query={query}>{(own) => <OwnChannels own={own} />}</Loaded>
      </Section>
      <Section title={t.quietChoices} lead={t.whenYouWantNoPages}>
        <Loaded query={query}>{(own) => <QuietChoices own={own} />}</Loaded>
      </Section>
    </>
  );
}

const COLUMNS: readonly Column<OwnChannel>[] = [
  { title: t.address, main: true, cell: ({ target }) => <span className="mono">{target}</span> },
  { title: common.kind, cell: ({ type }) => (type === "integration" ? t.browser : CHANNEL_TYPES[type]) },
  { title: common.state, cell: (channel) => <State {...channel} /> },
  { title: common.actions, cell: (channel) => <Acts channel={channel} /> },
];

function OwnChannels({ own: { channels, email } }: { own: OwnNotifications }) {
  const tests = useQuery(ownTestsQuery).data?.items ?? [];
  const { act, busy, problem } = useAct();
  const refresh = useRefresh();
  const test = () => act(() => testOwnNotifications().then(() => refresh(OWN_NOTIFICATIONS)));
  const empty = <Empty title={t.youHaveNoChannelOf}>{t.messagesGoTo(email)}</Empty>;
  return (
    <>
      <Table label={t.yourChannels} columns={COLUMNS} rows={channels} empty={empty} />
      <div className="row">
        <Opens label={t.addAChannel} title={t.addAChannelOfYour} keep>
          {(close) => <AddOwnChannel onClose={close} />}
        </Opens>
        <AddBrowser />
        <Action label={t.sendMeATestMessage} loading={busy} onClick={() => void test()} />
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
      {state === "requested" && <div className="soft">{t.linkSent(<Ago at={requestedAt} />)}</div>}
    </>
  );
}

/** The states in which the receiver can be asked once more to confirm. */
const ASKABLE: ReadonlySet<OwnChannel["state"]> = new Set(["expired", "requested", "disabled"]);

function Acts({ channel: { id, state, type, target } }: { channel: OwnChannel }) {
  return (
    <div className="row">
      {ASKABLE.has(state) && type !== "integration" && (
        <SendLink send={() => addOwnChannel({ type, target })} refreshes={OWN_NOTIFICATIONS} />
      )}
      <Asks
        small
        label={common.remove}
        title={t.removeThisChannel}
        action={t.removeChannel}
        run={() => removeOwnChannel(id)}
        refreshes={[OWN_NOTIFICATIONS]}
      >
        <p>{t.noMessageOfYoursIs(<span className="mono">{target}</span>)}</p>
      </Asks>
    </div>
  );
}

/** Adds an address of the user's own; the secret of a webhook is shown once. */
function AddOwnChannel({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const refresh = useRefresh();
  const [form, field] = useFields<Pick<OwnChannel, "type" | "target">>({ type: "email", target: "" }, undefined, {
    target: (value) => (value.trim() === "" ? common.enterAValue : null),
  });
  const submit = async ({ type, target }: typeof form.values) => {
    const added = await addOwnChannel({ type, target: target.trim() });
    await refresh(OWN_NOTIFICATIONS);
    if (added.secret !== null) return setSecret(added.secret);
    toast(t.itsReceiverGetsALink);
    onClose();
  };
  if (secret !== undefined)
    return (
      <ShownOnce title={t.addAChannelOfYour} done={t.done} onDone={onClose}>
        <Secret label={t.signingSecret} value={secret}>
          <p>{t.messagesToThisWebhookAre}</p>
        </Secret>
      </ShownOnce>
    );
  const isMail = form.getValues().type === "email";
  const description = isMail ? t.oneMailboxItGetsA : t.anHttpsAddressThatReceives;
  return (
    <Form form={form} onSubmit={submit} action={t.addChannel} onCancel={onClose}>
      <NativeSelect label={common.kind} data={CHANNEL_CHOICES} {...field("type")} />
      <TextInput
        label={t.address}
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
    startTime: (value, { quiet }) => (quiet && value === "" ? t.enterATime : null),
    endTime: (value, { quiet, startTime }) => {
      if (!quiet) return null;
      if (value === "") return t.enterATime;
      return value === startTime ? t.quietHoursMustBeginAnd : null;
    },
  });
  const submit = (values: Values) => setOwnNotifications(choicesOf(values)).then(() => form.resetDirty());
  const { quiet, onlyOnShift, timeZone } = form.getValues();
  const check = (name: "accountEmail" | "quiet" | "onlyOnShift" | "criticalToo") => field(name, { type: "checkbox" });
  return (
    <Form form={form} onSubmit={submit} action={t.saveChoices} done={common.saved} refreshes={[OWN_NOTIFICATIONS]}>
      <Checkbox
        label={t.messagesTo(own.email)}
        description={t.withoutAConfirmedChannelThey}
        {...check("accountEmail")}
      />
      <Checkbox label={t.quietHoursEveryDay} {...check("quiet")} />
      {quiet && (
        <>
          <div className="row">
            <TextInput type="time" label={common.from} {...field("startTime")} />
            <TextInput type="time" label={t.until} {...field("endTime")} />
          </div>
          <NativeSelect label={t.timeZone} data={timeZonesWith(timeZone)} {...field("timeZone")} />
        </>
      )}
      <Checkbox label={t.pageMeOnlyWhileI} description={t.ofEachGroupOnOne} {...check("onlyOnShift")} />
      {(quiet || onlyOnShift) && (
        <Checkbox label={t.holdBackCriticalPagesAs} description={t.onlyThoseOfGroupsThat} {...check("criticalToo")} />
      )}
      <p className="soft">{t.whatIsHeldBackIs}</p>
    </Form>
  );
}

function valuesOf({ accountEmail, quietHours, onlyOnShift, criticalToo }: NotificationChoices): Values {
  const timeZone = ownZone();
  const hours = quietHours ?? { startTime: "22:00", endTime: "06:00", timeZone };
  return { accountEmail, onlyOnShift, criticalToo, quiet: quietHours !== null, ...hours };
}

function choicesOf(values: Values): NotificationChoices {
  const { accountEmail, quiet, onlyOnShift, criticalToo, startTime, endTime, timeZone } = values;
  const quietHours = quiet ? { startTime, endTime, timeZone } : null;
  return { accountEmail, quietHours, onlyOnShift, criticalToo: criticalToo && (quiet || onlyOnShift) };
}
