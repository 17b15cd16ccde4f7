import { useQuery } from "@tanstack/react-query";
import { actorQuery } from "../../api/people/actors.ts";

interface DeviceLinkProps {
  id: string;
  /** Where the link itself can be drawn, as on a board. */
  still?: boolean;
}

/** A device by name, as a link to its screen; by its id as long as the name is not known, and where the device is deleted. */
export function DeviceLink({ id, still = false }: DeviceLinkProps) {
  const name = useQuery(actorQuery(`device:${id}`)).data?.name;
  return (
    <a
      className={name === undefined ? "mono" : undefined}
      href={`/devices/${encodeURIComponent(id)}`}
      title={name === undefined ? undefined : id}
      {...(still ? { draggable: false } : {})}
    >
      {name ?? id}
    </a>
  );
}
