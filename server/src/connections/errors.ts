import { MusterError } from "../lib/errors.ts";

export type ConnectionsErrorCode = "client_id_in_use" | "username_taken" | "not_found" | "invalid_request";

/** The client id belongs to another MQTT client or to a device with a live certificate (spec 4.10 rule 3). */
export function clientIdInUse(clientId: string): MusterError<"client_id_in_use"> {
  return new MusterError("client_id_in_use", "This client id is in use by another client or by a device.", {
    detail: clientId,
  });
}

export function unknownNode(which: string): MusterError<"not_found"> {
  return new MusterError("not_found", "No node has this id or host. muster node list shows the nodes.", {
    detail: which,
  });
}

export function ambiguousNode(which: string): MusterError<"invalid_request"> {
  return new MusterError("invalid_request", "Several node ids begin with this text: give more characters.", {
    detail: which,
  });
}

/** User names of MQTT clients are unique across all tenants, because they share the broker. */
export function usernameTaken(username: string): MusterError<"username_taken"> {
  return new MusterError("username_taken", "There is already an MQTT client with this user name.", {
    detail: username,
  });
}
