import { useQuery } from "@tanstack/react-query";
import { rejectedQuery } from "../../api/devices.ts";
import { LIMITS } from "../../api/limits.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { sentence } from "../../parts/problem-box.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Panel, Section } from "../../ui/page/page.tsx";
import type { TabProps } from "./tab-props.ts";

/** Messages that were accepted and could not be read, with the reason. */
export function RejectedTab({ device }: TabProps) {
  return (
    <Section
      title="Rejected messages"
      lead={`The last ${LIMITS.rejectedMessagesPerDevice} messages whose payload the service could not read.`}
    >
      <Loaded query={useQuery(rejectedQuery(device.id))}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Every message of this device could be read" />
          ) : (
            items.map((message) => (
              <Panel key={message.id} tight>
                <p>
                  <strong>{sentence(message.reason)}</strong> <span className="mono soft">{message.topic}</span>
                </p>
                <p className="soft">
                  <Time at={message.at} />
                </p>
                <pre className="mono">{message.payload}</pre>
                {isStart(message) && (
                  <p className="soft">The start of {message.payloadBytes.toLocaleString()} bytes.</p>
                )}
              </Panel>
            ))
          )
        }
      </Loaded>
    </Section>
  );
}

/** Whether the payload is longer than what is shown of it. */
function isStart({ payload, payloadBytes }: { payload: string; payloadBytes: number }): boolean {
  return new TextEncoder().encode(payload).length < payloadBytes;
}
