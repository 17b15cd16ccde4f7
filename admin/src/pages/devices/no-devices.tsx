import { Button } from "@mantine/core";
import { NoneMatches } from "../../parts/list/none-matches.tsx";
import { useSession } from "../../parts/session.ts";
import { Empty } from "../../ui/display/empty.tsx";

/** Why the list is empty: filters, groups, or there is no device yet. */
export function NoDevices({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  const { user, operations } = useSession();
  if (narrowed) return <NoneMatches of="device" onClear={onClear} />;
  if (user.role !== "admin")
    return (
      <Empty title="You see no device">
        You see the devices of your groups. An administrator adds you to a group, or devices to one of yours.
      </Empty>
    );
  return (
    <Empty
      title="There is no device yet"
      action={
        operations.includes("createClaim") && (
          <Button component="a" href="/connect">
            Connect a device
          </Button>
        )
      }
    >
      A device that can generate a key enrolls itself with a claim code. For others, add the device and issue a bundle.
    </Empty>
  );
}
