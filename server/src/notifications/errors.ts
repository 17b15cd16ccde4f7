import { MusterError } from "../lib/errors.ts";

export type NotificationsErrorCode = "webhook_inactive";

/** Reports that nothing is sent to the webhook in this `state`. */
export function webhookInactive(state: string): MusterError<"webhook_inactive"> {
  const message =
    state === "disabled"
      ? "the webhook is disabled because it answered 410: enable it first"
      : "the receiver of the webhook has not confirmed it yet";
  return new MusterError("webhook_inactive", message, { extra: { state } });
}
