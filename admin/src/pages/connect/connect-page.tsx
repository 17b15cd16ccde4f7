import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/connect.ts";
import { claimQuery, createClaim } from "../../api/claims.ts";
import type { Schemas } from "../../api/client.ts";
import { createDeviceType, DEVICE_TYPES, deviceTypesQuery } from "../../api/device-types.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, Notice, Page, type StepState, Steps } from "../../ui/ui.ts";
import { FirstReading } from "./connection-watch.tsx";
import { EnrollmentCommands } from "./enrollment-commands.tsx";
import { type Connection, useConnection } from "./use-connection.ts";
import { WaysToConnect } from "./ways-to-connect.tsx";

const POLL_MS = 2000;

/** Connects a device that generates its own key: a claim, the commands, and their outcome. */
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
      title={common.connectADevice}
      back={{ href: "/devices", label: common.devices }}
      lead={t.theDeviceMakesItsOwn}
      narrow
    >
      <Steps
        steps={[
          {
            title: claim ? t.whatConnects(claim.intendedName) : t.whatConnects2,
            state: stateOf(0),
            children: <ClaimForm onCreated={setClaim} />,
          },
          {
            title: t.runThisOnTheDevice,
            state: stateOf(1),
            open: reached === 2,
            children: claim && (
              <EnrollmentCommands claim={claim} redeemed={deviceId !== undefined}>
                <p className="soft">{t.pasteItIntoATerminal}</p>
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
      {reached === 0 && <WaysToConnect />}
    </Page>
  );
}

interface ReachedProps {
  claim: Schemas["CreatedClaim"];
  connection: Connection;
  onAnother: () => void;
}

/** The connection of the device that redeemed the claim. */
function Reached({ claim, connection, onAnother }: ReachedProps) {
  const { device, reading } = connection;
  if (!device) return null;
  return (
    <>
      <ReusedIdentity claim={claim} device={device} />
      <FirstReading device={device} connection={connection} />
      {reading && (
        <div>
          <Action label={t.connectAnotherDevice} onClick={onAnother} />
        </div>
      )}
    </>
  );
}

/** The titles of the last step, by the number of finished steps. */
const TITLES = [t.itConnects, t.itConnects, t.waitingForItsFirstMessage, t.itIsConnected];

/** Starts over when the user clicks the menu item after a device has connected. */
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

interface ClaimFormProps {
  onCreated: (claim: Schemas["CreatedClaim"]) => void;
}

const NEW = "new";
/** The type that is created for a tenant without one: its topic may carry any telemetry. */
const FIRST_TYPE = { name: common.device, publishTopics: ["telemetry/{deviceId}"] };

/** Asks what connects, and creates a claim for it. */
function ClaimForm({ onCreated }: ClaimFormProps) {
  return (
    <Loaded query={useQuery(deviceTypesQuery)}>
      {({ items }) => <ClaimFields types={items} onCreated={onCreated} />}
    </Loaded>
  );
}

function ClaimFields({ types, onCreated }: ClaimFormProps & { types: readonly Schemas["DeviceType"][] }) {
  const refresh = useRefresh();
  const [form, field] = useFields({ intendedName: "", type: types[0]?.id ?? NEW }, "createClaim");
  const createType = async () => {
    const { id } = await createDeviceType(FIRST_TYPE);
    await refresh(DEVICE_TYPES);
    return id;
  };
  const submit = async ({ intendedName, type }: typeof form.values) =>
    onCreated(await createClaim({ intendedName, intendedDeviceTypeId: type === NEW ? await createType() : type }));
  const choices = types.map(({ id, name, publishTopics }) => ({
    value: id,
    label: `${name}: ${publishTopics.join(", ")}`,
  }));
  return (
    <Form form={form} onSubmit={submit} action={t.continue}>
      <TextInput label={common.name} placeholder={t.feedPump1} autoFocus {...field("intendedName")} />
      <NativeSelect
        label={common.type}
        description={t.decidesTheTopicsThatThe}
        data={[...choices, { value: NEW, label: t.aNewTypeThatPublishes(FIRST_TYPE.publishTopics.join(", ")) }]}
        {...field("type")}
      />
    </Form>
  );
}

/** Warns that the device which redeemed the claim had enrolled before and keeps its identity: no device is added. */
function ReusedIdentity({ claim, device }: { claim: Schemas["CreatedClaim"]; device: Schemas["Device"] }) {
  if (Date.parse(device.createdAt) >= Date.parse(claim.createdAt)) return null;
  return (
    <Notice tone="warn" title={t.redeemedTheCode(device.name)}>
      <p>{t.itHadEnrolledBeforeSo(<span className="mono">{device.id}</span>)}</p>
    </Notice>
  );
}
