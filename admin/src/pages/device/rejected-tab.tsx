import { useQuery } from "@tanstack/react-query";
import { t } from "#texts/pages/device.ts";
import type { Schemas } from "../../api/client.ts";
import { rejectedQuery } from "../../api/devices.ts";
import { LIMITS } from "../../api/limits.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { numberText } from "../../texts/number-text.ts";
import { sentence } from "../../texts/sentence.ts";
import { Empty, Panel, Section, Time } from "../../ui/ui.ts";
import type { TabProps } from "./tab-props.ts";

type Message = Schemas["RejectedMessage"];

/** The last messages of which something is not stored, each with the fields at fault. */
export function RejectedTab({ device }: TabProps) {
  return (
    <Section title={t.rejectedMessages} lead={t.theLastMessagesWhosePayload(LIMITS.rejectedMessagesPerDevice)}>
      <Loaded query={useQuery(rejectedQuery(device.id))}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t.everyMessageOfThisDevice} />
          ) : (
            items.map((message) => <RejectedMessage key={message.id} message={message} />)
          )
        }
      </Loaded>
    </Section>
  );
}

function RejectedMessage({ message }: { message: Message }) {
  const { at, topic, reason, problems, problemCount, storedValues, payload, payloadBytes } = message;
  const title =
    storedValues === 0 ? sentence(reason) : t.valuesNotStored(numberText(problemCount), numberText(storedValues));
  return (
    <Panel tight>
      <p>
        <strong>{title}</strong> <span className="mono soft">{topic}</span>
      </p>
      <p className="soft">
        <Time at={at} />
      </p>
      {problems.length > 0 && <Problems of={message} />}
      <pre className="mono">{payload}</pre>
      {isStart(message) && <p className="soft">{t.theStartOfBytes(numberText(payloadBytes))}</p>}
    </Panel>
  );
}

/** The fields at fault, each with its path and reason. */
export function Problems({ of: { problems, problemCount } }: { of: Pick<Message, "problems" | "problemCount"> }) {
  const others = problemCount - problems.length;
  return (
    <ul>
      {problems.map(({ path, reason }) => (
        <li key={`${path} ${reason}`}>
          <code>{path}</code>: {sentence(reason)}
        </li>
      ))}
      {others > 0 && <li>{t.andMore(numberText(others))}</li>}
    </ul>
  );
}

/** Whether the payload is longer than its shown part. */
function isStart({ payload, payloadBytes }: Message): boolean {
  return new TextEncoder().encode(payload).length < payloadBytes;
}
