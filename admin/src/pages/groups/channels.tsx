import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
import type { Versioned } from "../../api/client.ts";
import {
  type GroupChannel,
  groupChannelsQuery,
  requestConfirmation,
  showWebhook,
} from "../../api/people/group-channels.ts";
import { GROUPS, type Group, updateGroup } from "../../api/people/groups.ts";
import { deleteIntegration } from "../../api/people/integrations.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import { Problem } from "../../api/problem.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { useAct } from "../../parts/act/use-act.tsx";
import { SendLink } from "../../parts/channels/send-link.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Word } from "../../parts/word.tsx";
import {
  Action,
  Ago,
  type Column,
  DialogActions,
  Empty,
  Notice,
  Opens,
  Secret,
  Section,
  Status,
  Table,
  useOpens,
} from "../../ui/ui.ts";
import { CHANNEL_STATES, CHANNEL_TYPES, OBSTACLES } from "../../words/on-call.ts";
import { AddChannel } from "./add-channel.tsx";

type Address = Pick<GroupChannel, "type" | "target">;

const LEAD = t.addressesBesidesItsMembersA;
type Named = Address & Partial<Pick<GroupChannel, "name" | "service">>;
const COLUMNS = [
  { title: t.address, main: true, cell: (channel: Named) => <Name of={channel} /> },
  { title: common.kind, cell: ({ type, service }: Named) => service ?? CHANNEL_TYPES[type] },
];
const keyOf = ({ type, target }: Address) => `${type} ${target}`;

/** The address, or the name of a service, which members do not learn. */
function Name({ of: { type, target, name } }: { of: Named }) {
  return type === "integration" ? <span>{name ?? "–"}</span> : <span className="mono">{target}</span>;
}

/** The addresses that the group notifies besides its members, and their states. */
export function Channels({ group }: { group: Versioned<Group> }) {
  return useMay("listGroupChannels") ? <Administered group={group} /> : <NamedChannels group={group.record} />;
}

function Administered({ group }: { group: Versioned<Group> }) {
  const { id, channels } = group.record;
  const [add, dialog] = useOpens({
    label: t.addAChannel,
    title: t.addAChannel,
    children: (close) => <AddChannel opened={group} onClose={close} />,
  });
  const columns: readonly Column<GroupChannel>[] = [
    ...COLUMNS,
    { title: common.state, cell: (channel) => <State channel={channel} /> },
    { title: t.linkSent, cell: ({ requestedAt }) => <Ago at={requestedAt} none="–" /> },
    { title: common.actions, cell: (channel) => <Acts group={group} channel={channel} /> },
  ];
  return (
    <Section title={t.channels} lead={LEAD} actions={channels.length > 0 && add}>
      <Records
        label={t.channels}
        query={useQuery(groupChannelsQuery(id))}
        columns={columns}
        rowKey={keyOf}
        empty={<NoChannels action={add} />}
      />
      {dialog}
    </Section>
  );
}

/** Whether messages arrive there, and if not, why. */
function State({ channel: { state, obstacle, failingSince, lastError } }: { channel: GroupChannel }) {
  if (obstacle) return <Status of={["bad", OBSTACLES[obstacle]]} plain />;
  if (!failingSince) return <Word of={CHANNEL_STATES} value={state} plain />;
  return (
    <>
      <Status of={["bad", t.failsSince(<Ago at={failingSince} />)]} plain />
      <p className="soft">{lastError}</p>
    </>
  );
}

/** The channels as members of the group see them. */
function NamedChannels({ group: { channels, unconfirmedChannels } }: { group: Group }) {
  const unconfirmed = new Set(unconfirmedChannels.map(keyOf));
  const state = (channel: Address) => (unconfirmed.has(keyOf(channel)) ? "requested" : "confirmed");
  const columns: readonly Column<Address>[] = [
    ...COLUMNS,
    { title: common.state, cell: (channel) => <Word of={CHANNEL_STATES} value={state(channel)} plain /> },
  ];
  return (
    <Section title={t.channels} lead={LEAD}>
      <Table label={t.channels} rows={channels} rowKey={keyOf} columns={columns} empty={<NoChannels />} />
    </Section>
  );
}

function NoChannels({ action }: { action?: ReactNode }) {
  return (
    <Empty title={t.theGroupHasNoChannel} action={action}>
      {t.pagesGoToPeopleWho}
    </Empty>
  );
}

function Acts({ group, channel }: { group: Versioned<Group>; channel: GroupChannel }) {
  const { id } = group.record;
  const { state, type, target } = channel;
  return (
    <div className="row">
      {(state === "expired" || state === "requested") && (
        <SendLink send={() => requestConfirmation(id, target)} refreshes={GROUPS} />
      )}
      {type === "webhook" && (
        <Opens small label={t.secret} title={t.secretOfTheWebhook}>
          {(close) => <WebhookSecret id={id} channel={channel} onClose={close} />}
        </Opens>
      )}
      <Asks
        small
        label={common.remove}
        title={t.removeThisChannel}
        action={t.removeChannel}
        run={() => remove(group, channel)}
        done={common.saved}
        refreshes={[GROUPS, COVERAGE]}
      >
        <p>{t.nothingMoreIsPagedTo(<Name of={channel} />)}</p>
        {type === "integration" && <p>{t.itsSettingsAreDeleted}</p>}
      </Asks>
    </div>
  );
}

/** Removes a channel, and the settings of a service that no other group names. */
async function remove({ record: { id, channels }, etag }: Versioned<Group>, channel: GroupChannel): Promise<void> {
  await updateGroup(id, etag, { channels: channels.filter((each) => keyOf(each) !== keyOf(channel)) });
  if (channel.type !== "integration") return;
  await deleteIntegration(channel.target).catch((reason: unknown) => {
    if (!(reason instanceof Problem && reason.status === 409)) throw reason;
  });
}

interface WebhookSecretProps {
  id: string;
  channel: GroupChannel;
  onClose: () => void;
}

/** Shows the secret that signs messages to a webhook, and enables a disabled webhook. */
function WebhookSecret({ id, channel: { target, state }, onClose }: WebhookSecretProps) {
  const [shown, setShown] = useState<{ secret: string }>();
  const { act, problem } = useAct();
  const refresh = useRefresh();
  const disabled = state === "disabled";
  const show = (enable: boolean) =>
    act(async () => {
      setShown(await showWebhook(id, { target, enable }));
      if (enable) await refresh(GROUPS);
    });
  return (
    <div className="stack">
      <p>{t.messagesToAreSignedWith(<span className="mono">{target}</span>)}</p>
      {disabled && (
        <Notice tone="warn" title={t.nothingIsSentThere}>
          <p>{t.itAnswered410GoneOnce}</p>
        </Notice>
      )}
      {shown && <Secret label={t.signingSecret} value={shown.secret} />}
      {problem}
      <DialogActions>
        <Action label={common.close} onClick={onClose} />
        {disabled && <Action main label={t.useItAgain} onClick={() => void show(true)} />}
        {!shown && <Action main label={t.showTheSecret} onClick={() => void show(false)} />}
      </DialogActions>
    </div>
  );
}
