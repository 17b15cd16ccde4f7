import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/maintenance.ts";
import { nouns } from "#texts/nouns.ts";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { type MaintenanceWindow, windowsQuery } from "../../api/people/windows.ts";
import { GroupNames } from "../../parts/group-names.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, Empty, Page, Status, Time, useOpens } from "../../ui/ui.ts";
import { daysText } from "../../words/on-call.ts";
import { WindowActions } from "./window-actions.tsx";
import { WindowForm } from "./window-form.tsx";

const COLUMNS: readonly Column<MaintenanceWindow>[] = [
  { title: t.window, main: true, cell: ({ name }) => name },
  { title: common.devices, cell: (window) => <Covered window={window} /> },
  { title: t.when, cell: (window) => <When window={window} /> },
  { title: t.state, cell: (window) => <WindowState window={window} /> },
  { title: t.critical, cell: ({ holdsCritical }) => (holdsCritical ? t.wait : t.sent) },
];

/** Planned work on devices, during which their pages wait. */
export default function MaintenancePage() {
  const list = useListState();
  const may = useMay("createMaintenanceWindow");
  const [button, dialog] = useOpens({
    main: true,
    label: t.plan,
    title: t.title,
    children: (close) => <WindowForm onClose={close} />,
  });
  const columns = may
    ? [...COLUMNS, { title: common.actions, cell: (window: MaintenanceWindow) => <WindowActions window={window} /> }]
    : COLUMNS;
  return (
    <Page title={t.title2} lead={t.lead} actions={may && button}>
      <Records
        label={t.title2}
        of={nouns.maintenanceWindow}
        list={list}
        query={useQuery(windowsQuery({ skip: list.skip }))}
        columns={columns}
        empty={
          <Empty title={t.none} action={may && button}>
            {t.noneText}
          </Empty>
        }
      />
      {dialog}
    </Page>
  );
}

const SHOWN = 2;

function Covered({ window: { covers, groupId, deviceTypeId, deviceIds } }: { window: MaintenanceWindow }) {
  const types = useQuery({ ...deviceTypesQuery, enabled: covers === "deviceType" }).data?.items;
  if (covers === "all") return t.all;
  if (covers === "group") return t.ofGroup(<GroupNames ids={[groupId!]} none="" />);
  if (covers === "deviceType") return t.ofType(types?.find(({ id }) => id === deviceTypeId)?.name ?? deviceTypeId);
  if (deviceIds.length > SHOWN) return nouns.device(deviceIds.length);
  return deviceIds.map((id, at) => (
    <span key={id}>
      {at > 0 && ", "}
      <DeviceLink id={id} />
    </span>
  ));
}

function When({ window: { startsAt, endsAt, recurrence } }: { window: MaintenanceWindow }) {
  if (!recurrence) return <span>{t.fromTo(<Time at={startsAt} />, <Time at={endsAt} />)}</span>;
  const { startTime, endTime, daysOfWeek, timeZone } = recurrence;
  return t.weekly(`${startTime}–${endTime}`, daysText(daysOfWeek), timeZone);
}

function WindowState({ window: { current, next } }: { window: MaintenanceWindow }) {
  const ends = current && <span>{t.inEffect(<Ago at={current.endsAt} />)}</span>;
  const begins = next && <span>{t.next(<Ago at={next.startsAt} />)}</span>;
  if (ends) return <Status plain of={["warn", ends]} />;
  return <Status plain of={begins ? ["accent", begins] : ["neutral", t.ended]} />;
}
