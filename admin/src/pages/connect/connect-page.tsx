import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { claimQuery } from "../../api/claims.ts";
import type { Schemas } from "../../api/client.ts";
import { Page } from "../../ui/page/page.tsx";
import { type StepState, Steps } from "../../ui/page/steps.tsx";
import { ClaimForm } from "./claim-form.tsx";
import { ConnectionWatch } from "./connection-watch.tsx";
import { EnrollmentCommands } from "./enrollment-commands.tsx";
import { useConnection } from "./use-connection.ts";

const POLL_MS = 2000;

/** Connects a device that generates its own key: a claim, the commands, and what becomes of them. */
export default function ConnectPage() {
  const [claim, setClaim] = useState<Schemas["CreatedClaim"]>();
  const redeemed = useQuery({
    ...claimQuery(claim?.id ?? ""),
    enabled: claim !== undefined,
    refetchInterval: ({ state }) => (state.data?.deviceIds.length ? false : POLL_MS),
  });
  const deviceId = redeemed.data?.deviceIds[0];
  const connection = useConnection(deviceId);
  const reached = claim === undefined ? 0 : deviceId === undefined ? 1 : connection.phase === "reported" ? 3 : 2;
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
            title: "What connects",
            state: stateOf(0),
            children: <ClaimForm onCreated={setClaim} />,
          },
          {
            title: "Run this on the device",
            state: stateOf(1),
            open: reached === 2,
            children: claim && <EnrollmentCommands claim={claim} redeemed={deviceId !== undefined} />,
          },
          {
            title:
              deviceId === undefined
                ? "It connects"
                : reached === 3
                  ? "It is connected"
                  : "Waiting for its first message",
            state: reached === 3 ? "done" : stateOf(2),
            open: reached === 3,
            children: deviceId && <ConnectionWatch deviceId={deviceId} connection={connection} />,
          },
        ]}
      />
    </Page>
  );
}
