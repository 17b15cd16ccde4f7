import { Button } from "@mantine/core";
import { Empty } from "../../ui/display/empty.tsx";

/** In place of a list that its filters leave empty. @param of what is listed: `device` */
export function NoneMatches({ of, onClear }: { of: string; onClear: () => void }) {
  return (
    <Empty
      title={`No ${of} matches the filters`}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  );
}
