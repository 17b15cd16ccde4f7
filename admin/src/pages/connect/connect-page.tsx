import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { claimQuery } from "../../api/claims.ts";
import type { Schemas } from "../../api/client.ts";
import { Page } from "../../ui/page/page.tsx";
import { type StepState, Steps } from "../../ui/page/steps.tsx";
import { ClaimForm } from "./claim-form.tsx";
import { FirstReading } from "./connection-watch.tsx";
import { EnrollmentCommands } from "./enrollment-commands.tsx";
import { ReusedIdentity } from "./reused-identity.tsx";
import { type Connection, useConnection } from "./use-connection.ts";

const POLL_MS = 2000;

/** Connects a device that generates its own key: a claim, the commands, and what becomes of them. */
export default function ConnectPage() {
  const [claim, setClaim] = useState<Schemas["CreatedClaim"]>();
  const redeemed = useQuery({
    ...claimQuery(claim?.id ?? ""),
    enabled: claim !== undefined,
    refetchInterval: ({ state }) => (state.data?.deviceIds.length ? false : POLL_MS),
  });
  const deviceId = claim && redeemed.data?.deviceIds[0];
  const connection = useConnection(deviceId);
  const reached = claim === undefined ? 0 : deviceId === undefined ? 1 : connection.reading ? 3 : 2;
  const begin = useCallback(() => setClaim(undefined), []);
  useBeginAgain(reached === 3, begin);
  const stateOf = (step: number): StepState => (step < reached ? "done" : step === reached ? "now" : "later");
  return (
    <Page
      title="Connect a device"
      back={{ href: "/devices", label: "Devices" }}
      lead="The device makes its own key, which never leaves it, and redeems a claim code for a certificate."
      narrow
    >
      <Steps
        steps={[
          {
            title: claim ? `What connects: ${claim.intendedName}` : "What connects",
            state: stateOf(0),
            children: <ClaimForm onCreated={setClaim} />,
          },
          {
            title: "Run this on the device",
            state: stateOf(1),
            open: reached === 2,
            children: claim && (
              <EnrollmentCommands claim={claim} redeemed={deviceId !== undefined}>
                <p className="soft">
                  Paste it into a terminal of the device. This page goes on by itself when the device redeems the code.
                </p>
              </EnrollmentCommands>
            ),
          },
          {
            title: TITLES[reached]!,
            state: reached === 3 ? "done" : stateOf(2),
            open: reached === 3,
            children: claim && deviceId && <Reached claim={claim} connection={connection} onAnother={begin} />,
          },
        ]}
      />
    </Page>
  );
}

interface ReachedProps {
  claim: Schemas["CreatedClaim"];
  connection: Connection;
  onAnother: () => void;
}

/** What becomes of the device that redeemed the claim. */
function Reached({ claim, connection, onAnother }: ReachedProps) {
  const { device, reading } = connection;
  if (!device) return null;
  return (
    <>
      <ReusedIdentity claim={claim} device={device} />
      <FirstReading device={device} connection={connection} />
      {reading && (
        <div>
          <Button variant="default" onClick={onAnother}>
            Connect another device
          </Button>
        </div>
      )}
    </>
  );
}

/** What the last step is called, by how many are done. */
const TITLES = ["It connects", "It connects", "Waiting for its first message", "It is connected"];

/** The link of the menu leads here from here, too: once a device is connected, it begins with the next. */
function useBeginAgain(done: boolean, begin: () => void): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onBeforeLoad", ({ pathChanged }) => {
        if (done && !pathChanged) begin();
      }),
    [router, done, begin],
  );
}
