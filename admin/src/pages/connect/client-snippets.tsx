import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { Notice } from "../../ui/display/status.tsx";
import { Command } from "../../ui/input/copy.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Panel, Section } from "../../ui/page/page.tsx";
import { SNIPPETS } from "./snippets.ts";
import { useBroker } from "./use-broker.ts";

const FILES =
  "key.pem is the device's key, fullchain.pem its certificate followed by the chain, ca.pem the serverCaBundle.";

/** The settings of the device's client, and programs with them. */
export function ClientSnippets({ deviceId, topic }: { deviceId: string; topic: string | undefined }) {
  const [name, setName] = useState(SNIPPETS[0]!.name);
  const { broker } = useBroker();
  if (!broker) return null;
  if (topic === undefined)
    return (
      <Notice tone="warn" title="The device may publish nowhere">
        <p>Set its type, then have it renew its certificate: the topics are those of the type at that time.</p>
      </Notice>
    );
  const snippet = SNIPPETS.find((each) => each.name === name) ?? SNIPPETS[0]!;
  return (
    <Section title="Its settings" lead={FILES}>
      <Panel>
        <Facts
          facts={[
            [
              "Host",
              <span className="mono" key="host">
                {broker.host}
              </span>,
            ],
            [
              "Port (MQTT over TLS)",
              <span className="mono" key="port">
                {broker.port}
              </span>,
            ],
            [
              "Client id",
              <span className="mono" key="id">
                {deviceId}
              </span>,
            ],
            [
              "Topic",
              <span className="mono" key="topic">
                {topic}
              </span>,
            ],
          ]}
        />
      </Panel>
      <SegmentedControl
        aria-label="Program"
        value={name}
        onChange={setName}
        data={SNIPPETS.map((each) => ({ value: each.name, label: each.name }))}
      />
      <Command label={snippet.file} file={snippet.file}>
        {snippet.text({ deviceId, topic, ...broker })}
      </Command>
    </Section>
  );
}
