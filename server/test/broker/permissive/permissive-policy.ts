import { NO_FILTERS } from "../../../src/broker/policy/granted-filters.ts";
import type { BrokerPolicy, Principal } from "../../../src/broker/policy/policy.ts";

/** A filter whose topics are refused, so that suites can see a refusal. */
const NO_SUBSCRIBE = "test/nosubscribe";
/** Topics by which bridged brokers tell each other whether they are connected. */
const BRIDGE_STATE = /^\$SYS\/broker\/connection\/[^/]+\/state$/;
const CLOSED = /^\$(SYS|share|CONTROL)\//;

/**
 * Creates a policy that allows every client everything without credentials, except publishing to topics that are
 * reserved for brokers. It stores nothing.
 */
export function permissivePolicy(): BrokerPolicy {
  const sessions = new Map<string, string>();
  return {
    hidesReasons: true,
    async authorizeConnect({ clientId, willTopic }) {
      if (willTopic !== undefined && !mayPublish(willTopic)) {
        return { allow: false, reason: "topic_not_authorised", answer: "not_authorized" };
      }
      return { allow: true, principal: principalOf(clientId) };
    },
    recordUnverified: () => undefined,
    recordSessionQuota: () => undefined,
    mayPublish: (_, topic) => mayPublish(topic),
    recordUnretained: () => undefined,
    maySubscribe: (_, filter) => filter !== NO_SUBSCRIBE,
    mayKeepSubscription: () => true,
    mayShare: () => true,
    mayReceive: () => true,
    storeMessage: async () => undefined,
    storesMessagesOf: () => false,
    async openSession({ clientId }, { sessionId }) {
      const replacedHere = sessions.get(clientId);
      sessions.set(clientId, sessionId);
      return { replacedHere, hasCommands: false, hasStored: true, hasWill: false };
    },
    closeSession({ clientId }, sessionId) {
      if (sessions.get(clientId) === sessionId) sessions.delete(clientId);
    },
    waitingCommands: async () => ({ commands: [], more: false }),
    acknowledgeCommand: async () => undefined,
  };
}

function mayPublish(topic: string): boolean {
  return !CLOSED.test(topic) || BRIDGE_STATE.test(topic);
}

function principalOf(clientId: string): Principal {
  return {
    tenantId: "everyone",
    tenantSlug: "everyone",
    clientId,
    deviceUid: undefined,
    certificateId: undefined,
    serialNumber: undefined,
    mqttClientId: clientId,
    publishTopics: new Set(),
    subscribeFilters: NO_FILTERS,
  };
}
