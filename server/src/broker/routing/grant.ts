import type { Qos } from "../message.ts";

/**
 * The rights of a subscriber for a filter. The options are those of MQTT 5, 3.8.3.1; MQTT 3.1.1 has none of them.
 */
export interface Grant {
  qos: Qos;
  /** The subscriber does not receive its own messages. */
  noLocal: boolean;
  retainAsPublished: boolean;
  /** The client's subscription identifier, or all of them when several subscriptions match the same message. */
  subscriptionIds: readonly number[];
}

/** Combines two subscriptions of a subscriber that match the same message [MQTT-3.3.4-2]. */
export function joinGrants(one: Grant, other: Grant): Grant {
  return {
    qos: one.qos > other.qos ? one.qos : other.qos,
    noLocal: one.noLocal && other.noLocal,
    retainAsPublished: one.retainAsPublished || other.retainAsPublished,
    subscriptionIds: [...one.subscriptionIds, ...other.subscriptionIds],
  };
}
