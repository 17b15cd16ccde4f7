import { t } from "#texts/parts.ts";
import { Runs } from "../act/use-act.tsx";

interface SendLinkProps {
  /** Asks the service to send the link. */
  send: () => Promise<unknown>;
  /** The address from which the channels were read. */
  refreshes: string;
}

/** Asks the receiver of a channel once more to confirm it, or shows why that is refused. */
export function SendLink({ send, refreshes }: SendLinkProps) {
  const done = t.aLinkWillBeSent;
  return <Runs small label={t.sendAnotherLink} run={send} done={done} refreshes={[refreshes]} />;
}
