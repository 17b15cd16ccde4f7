import { useQuery } from "@tanstack/react-query";
import { actorQuery } from "../../api/people/actors.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { DeviceLine } from "./device-line.tsx";

interface DeviceLinkProps {
  id: string;
  /** Set where the link must not be dragged, as on a board. */
  still?: boolean;
  /** Shows the name alone, within a sentence. */
  plain?: boolean;
}

/** A link to a device. Its text is the device's name, or the id if the name is unknown or the device is deleted. */
export function DeviceLink({ id, still = false, plain = false }: DeviceLinkProps) {
  const device = useQuery(actorQuery(`device:${id}`)).data;
  const groups = new Map(useQuery(groupChoicesQuery()).data?.items.map((group) => [group.id, group.name]));
  const link = (
    <a
      className={device ? undefined : "mono"}
      href={`/devices/${encodeURIComponent(id)}`}
      title={device ? `${device.name} (${id})` : undefined}
      {...(still ? { draggable: false } : {})}
    >
      {device?.name ?? id}
    </a>
  );
  if (plain || !device) return link;
  return <DeviceLine id={id} name={link} more={[...device.groupIds.map((each) => groups.get(each)), device.place]} />;
}
