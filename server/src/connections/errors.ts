import { MusterError } from "../lib/errors.ts";

export type ConnectionsErrorCode = "client_id_in_use" | "username_taken" | "not_found" | "invalid_request";

/** The client id is held by another MQTT client or by a device with a live certificate (spec 4.10 rule 3). */
export function clientIdInUse(clientId: string): MusterError<"client_id_in_use"> {
  return new MusterError("client_id_in_use", "this client id is in use by another client or by a device", {
    detail: clientId,
  });
}

/** User names of MQTT clients are one set over all tenants, as the broker is one. */
export function usernameTaken(username: string): MusterError<"username_taken"> {
  return new MusterError("username_taken", "there is an MQTT client of this user name already", { detail: username });
}
