import { Button } from "@mantine/core";
import { useState } from "react";
import { renderProblem } from "../problem-box.tsx";
import { CANCELLED } from "../step-up/step-up.ts";
import { toast } from "../toasts.tsx";
import { useRefresh } from "../use-refresh.ts";

interface SendLinkProps {
  /** Asks the service to send it. */
  send: () => Promise<unknown>;
  /** The address that what is shown was read from. */
  refreshes: string;
}

/** Has the receiver of a channel asked once more to confirm it, or says why that is refused. */
export function SendLink({ send, refreshes }: SendLinkProps) {
  const [error, setError] = useState<unknown>();
  const refresh = useRefresh();
  const click = async () => {
    setError(undefined);
    try {
      await send();
      toast("A link will be sent, as soon as the limits on links allow it.");
      await refresh(refreshes);
    } catch (reason) {
      if (reason !== CANCELLED) setError(reason);
    }
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={() => void click()}>
        Send another link
      </Button>
      {error !== undefined && renderProblem(error)}
    </>
  );
}
