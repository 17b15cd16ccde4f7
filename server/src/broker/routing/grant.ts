import type { Qos } from "./message.ts";

/** What a subscriber was granted for a filter. The options are those of MQTT 5, 3.8.3.1; MQTT 3.1.1 has neither. */
export interface Grant {
  qos: Qos;
  /** It does not get its own messages. */
  noLocal: boolean;
  retainAsPublished: boolean;
  /** The identifier that the client gave the subscription, of several subscriptions that match the same message each. */
  subscriptionIds: readonly number[];
}

/** What a subscriber has of two subscriptions that match the same message [MQTT-3.3.4-2]. */
export function joinGrants(one: Grant, other: Grant): Grant {
  return {
    qos: one.qos > other.qos ? one.qos : other.qos,
    noLocal: one.noLocal && other.noLocal,
    retainAsPublished: one.retainAsPublished || other.retainAsPublished,
    subscriptionIds: [...one.subscriptionIds, ...other.subscriptionIds],
  };
}
