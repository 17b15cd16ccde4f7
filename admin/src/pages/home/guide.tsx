import type { Schemas } from "../../api/client.ts";
import { useMay } from "../../parts/session.ts";
import { Panel, Section } from "../../ui/page/page.tsx";
import { type StepState, Steps } from "../../ui/page/steps.tsx";

/** The first steps of a tenant, until a device has connected. */
export function Guide({ overview }: { overview: Schemas["Overview"] }) {
  const mayConnect = useMay("createClaim");
  const { total, connectivity } = overview.devices;
  const connected = connectivity.online + connectivity.offline > 0;
  if (!mayConnect || connected) return null;
  const claimed = total > 0 || (overview.openClaims ?? 0) > 0;
  const second: StepState = claimed ? "now" : "later";
  return (
    <Section title="First steps">
      <Panel>
        <Steps
          steps={[
            {
              title: "Say what connects",
              state: claimed ? "done" : "now",
              children: (
                <p>
                  Name the device and its type, and get a claim code: <a href="/connect">Connect a device</a>.
                </p>
              ),
            },
            {
              title: "Connect it",
              state: second,
              children: (
                <p>
                  Run the commands of <a href="/connect">Connect a device</a> on it. The page shows when it connects, or
                  why it is refused.
                </p>
              ),
            },
            { title: "Watch its first message", state: "later" },
          ]}
        />
      </Panel>
    </Section>
  );
}
