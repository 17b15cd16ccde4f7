import { useQuery } from "@tanstack/react-query";
import { actorQuery } from "../../api/people/actors.ts";

interface DeviceLinkProps {
  id: string;
  /** Set where the link must not be dragged, as on a board. */
  still?: boolean;
}

/** A link to a device by its name, or by its id while the name is unknown or the device is deleted. */
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
