import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/fleet.ts";
import { t as screens } from "#texts/screens.ts";
import type { Schemas } from "../../api/client.ts";
import { DEVICES, devicesQuery } from "../../api/devices.ts";
import type { Group } from "../../api/people/groups.ts";
import { Outcome, useBulk } from "../../parts/bulk/use-bulk.tsx";
import { DevicesField } from "../../parts/form/device-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { Opens, Section } from "../../ui/ui.ts";

/** The number of devices shown on the group's page. */
const SHOWN = 8;

type BulkOutcome = Schemas["BulkOutcome"];

/** The devices of a group: how many there are, the newest, and adding others. */
export function GroupDevices({ group: { id, name } }: { group: Group }) {
  const { data } = useQuery(devicesQuery({ groupId: id, skip: 0, limit: SHOWN }));
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const isAdmin = useSession().user.role === "admin";
  const mayAdd = useMay("changeDevices") && isAdmin;
  const total = data?.total;
  return (
    <Section
      title={t.devicesOfTheGroup}
      actions={
        <>
          {total !== undefined && <a href={`/devices?groupId=${id}`}>{nouns.device(total)}</a>}
          {total !== undefined && total > 0 && <a href={`/compare?groupId=${id}`}>{screens.compareDevices}</a>}
          {mayAdd && (
            <Opens small label={t.addDevices} title={t.addDevicesTo(name)}>
              {(close) => (
                <AddDevices
                  groupId={id}
                  onClose={close}
                  onDone={(answer) => {
                    close();
                    if (answer.refused + answer.notTried > 0) setOutcome(answer);
                  }}
                />
              )}
            </Opens>
          )}
        </>
      }
    >
      {total === 0 && <p className="soft">{t.noDeviceInTheGroup}</p>}
      <div className="row">
        {data?.items.map((device) => (
          <DeviceLink key={device.id} id={device.id} />
        ))}
      </div>
      <Outcome outcome={outcome} left="" onClose={() => setOutcome(undefined)} />
    </Section>
  );
}

interface AddDevicesProps {
  groupId: string;
  onClose: () => void;
  onDone: (outcome: BulkOutcome) => void;
}

function AddDevices({ groupId, onClose, onDone }: AddDevicesProps) {
  const bulk = useBulk();
  const [form, field] = useFields({ ids: [] as string[] });
  const submit = async ({ ids }: typeof form.values) =>
    onDone(await bulk.run(ids, { act: "change", change: { addGroupIds: [groupId] } }));
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={t.addDevices}
      onCancel={onClose}
      blocked={form.values.ids.length === 0 ? t.chooseADevice : undefined}
      refreshes={[DEVICES]}
    >
      <DevicesField label={t.device} {...field("ids")} />
      {bulk.shown}
    </Form>
  );
}
