import { Button } from "@mantine/core";
import { useState } from "react";
import {
  addOwnChannel,
  OWN_NOTIFICATIONS,
  type OwnChannel,
  type OwnNotifications,
  removeOwnChannel,
} from "../../../api/people/own-notifications.ts";
import { SendLink } from "../../../parts/channels/send-link.tsx";
import { renderProblem } from "../../../parts/problem-box.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";
import { Word } from "../../../parts/word.tsx";
import { Empty } from "../../../ui/display/empty.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Ago } from "../../../ui/display/time.tsx";
import { Confirm } from "../../../ui/input/confirm.tsx";
import { Dialog } from "../../../ui/input/dialog.tsx";
import { CHANNEL_STATES, CHANNEL_TYPES } from "../../../words/on-call.ts";
import { AddOwnChannel } from "./add-own-channel.tsx";
import { OwnTests } from "./own-tests.tsx";

type Open = "add" | { remove: OwnChannel };

const COLUMNS: readonly Column<OwnChannel>[] = [
  { key: "target", title: "Address", main: true, cell: ({ target }) => <span className="mono">{target}</span> },
  { key: "type", title: "Kind", cell: ({ type }) => CHANNEL_TYPES[type] },
  { key: "state", title: "State", cell: (channel) => <State {...channel} /> },
];

/** Where the user is notified besides the account's address, and whether each address is used. */
export function OwnChannels({ own: { channels, email } }: { own: OwnNotifications }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const removed = typeof open === "object" ? open.remove : undefined;
  const refresh = useRefresh();
  const columns: readonly Column<OwnChannel>[] = [
    ...COLUMNS,
    {
      key: "acts",
      title: "Actions",
      cell: (channel) => <Acts channel={channel} onRemove={() => setOpen({ remove: channel })} />,
    },
  ];
  return (
    <>
      <Table
        label="Your channels"
        columns={columns}
        rows={channels}
        rowKey={({ id }) => id}
        empty={<Empty title="You have no channel of your own.">Messages go to {email}.</Empty>}
      />
      <OwnTests>
        <Button variant="default" onClick={() => setOpen("add")}>
          Add a channel
        </Button>
      </OwnTests>
      <Dialog title="Add a channel of your own" opened={open === "add"} onClose={close} keep>
        <AddOwnChannel onClose={close} />
      </Dialog>
      <Confirm
        title="Remove this channel?"
        opened={removed !== undefined}
        onClose={close}
        action="Remove channel"
        problem={renderProblem}
        onConfirm={async () => {
          if (removed) await removeOwnChannel(removed.id);
          close();
          await refresh(OWN_NOTIFICATIONS);
        }}
      >
        <p>
          No message of yours is sent to <span className="mono">{removed?.target}</span> any more.
        </p>
      </Confirm>
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

/** Its receiver can be asked to confirm it once more. */
const ASKABLE: ReadonlySet<OwnChannel["state"]> = new Set(["expired", "requested", "disabled"]);

function Acts({ channel, onRemove }: { channel: OwnChannel; onRemove: () => void }) {
  const { state, type, target } = channel;
  return (
    <div className="row">
      {ASKABLE.has(state) && <SendLink send={() => addOwnChannel({ type, target })} refreshes={OWN_NOTIFICATIONS} />}
      <Button size="xs" variant="default" onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}
