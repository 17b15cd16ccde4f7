import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { commandsQuery, type DeviceCommand } from "../../../api/broker/commands.ts";
import { Actor } from "../../../parts/actor.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { useMay } from "../../../parts/session.ts";
import { useListState } from "../../../parts/url-state.ts";
import { Empty } from "../../../ui/display/empty.tsx";
import { Pager } from "../../../ui/display/pager.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { Ago, Time } from "../../../ui/display/time.tsx";
import { Section } from "../../../ui/page/page.tsx";
import type { TabProps } from "../tab-props.ts";
import { CancelCommand } from "./cancel-command.tsx";
import { SendCommand } from "./send-command.tsx";

/** What waits for the device, with the way to send more. */
export function CommandsTab({ device }: TabProps) {
  const [sends, setSends] = useState(false);
  const { skip, onSkip } = useListState();
  const query = useQuery(commandsQuery(device.id, skip));
  const maySend = useMay("sendCommand");
  return (
    <Section
      title="Commands"
      lead="Messages that wait until the device has acknowledged them. It gets them when it is connected and subscribes to their topic."
      actions={maySend && <Button onClick={() => setSends(true)}>Send a command</Button>}
    >
      <Loaded query={query}>
        {(page) => (
          <>
            <Table
              label="Commands that wait for the device"
              columns={columnsOf(device.id)}
              rows={page.items}
              rowKey={({ id }) => id}
              empty={<Empty title="No command waits for the device" />}
            />
            <Pager page={page} of="command" onSkip={onSkip} />
          </>
        )}
      </Loaded>
      <SendCommand device={device} opened={sends} onClose={() => setSends(false)} />
    </Section>
  );
}

function columnsOf(deviceId: string): readonly Column<DeviceCommand>[] {
  return [
    { key: "topic", title: "Topic", main: true, cell: ({ topic }) => <span className="mono">{topic}</span> },
    { key: "payload", title: "Payload", cell: ({ payload }) => <code>{startOf(payload)}</code> },
    { key: "sent", title: "Sent", cell: ({ createdAt }) => <Ago at={createdAt} /> },
    { key: "by", title: "By", cell: ({ createdBy }) => <Actor of={createdBy} /> },
    { key: "expires", title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { key: "acts", title: "Actions", cell: (command) => <CancelCommand deviceId={deviceId} command={command} /> },
  ];
}

const SHOWN_CHARACTERS = 80;

function startOf(payload: string): string {
  return payload.length > SHOWN_CHARACTERS ? `${payload.slice(0, SHOWN_CHARACTERS)}…` : payload;
}
