import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { Notice } from "../../ui/display/status.tsx";
import { CopyBlock } from "../../ui/input/copy.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Panel, Section } from "../../ui/page/page.tsx";

type Tool = Schemas["ClientExample"]["tool"];

const NAMES: Record<Tool, string> = {
  openssl: "openssl",
  curl: "curl",
  mosquitto: "mosquitto",
  "mqtt.js": "mqtt.js",
  paho: "Paho (Python)",
  "esp-idf": "ESP-IDF",
  agent: "Muster agent",
};

/** What an example would be saved as. */
const FILES: Record<Schemas["ClientExample"]["language"], string> = {
  sh: "connect.sh",
  js: "connect.mjs",
  python: "connect.py",
  c: "connect.c",
};

/** The settings of the device's client, and programs with them. */
export function ClientExamples({ guide }: { guide: Schemas["ConnectGuide"] }) {
  const [tool, setTool] = useState<Tool>();
  const { host, port, clientId, publishTopics, files, examples } = guide;
  const shown = examples.find((each) => each.tool === tool) ?? examples[0]!;
  const facts = { Host: host, "Port (MQTT over TLS)": port, "Client id": clientId, Topic: publishTopics[0] ?? "none" };
  return (
    <Section title="Its settings" lead="The examples name its files as below.">
      {publishTopics.length === 0 && (
        <Notice tone="warn" title="The device may publish nowhere">
          <p>Set its type, then have it renew its certificate: the topics are those of the type at that time.</p>
        </Notice>
      )}
      <Panel>
        <Facts facts={Object.entries(facts).map(([label, value]) => [label, <Mono key={label}>{value}</Mono>])} />
      </Panel>
      <Panel>
        <Facts facts={files.map(({ name, contains }) => [name, contains])} />
      </Panel>
      <SegmentedControl
        aria-label="Program"
        value={shown.tool}
        onChange={(value) => setTool(value as Tool)}
        data={examples.map((each) => ({ value: each.tool, label: NAMES[each.tool] }))}
      />
      <CopyBlock label={shown.does} file={FILES[shown.language]}>
        {shown.text}
      </CopyBlock>
    </Section>
  );
}

function Mono({ children }: { children: string | number }) {
  return <span className="mono">{children}</span>;
}
