import type { TraceKind, TraceRecorder } from "../../connections/connections.ts";
import type { NotStored } from "../../telemetry/telemetry.ts";
import type { MusterPolicy } from "./muster-policy.ts";

/**
 * Adds traces to a policy: it is asked about everything that a client sends or receives, and its answers are what an
 * admin wants to know. Nothing changes for clients that are not traced.
 */
export function tracedPolicy(policy: MusterPolicy, traces: Pick<TraceRecorder, "isTracing" | "record">): MusterPolicy {
  return {
    ...policy,
    mayPublish(principal, topic) {
      const may = policy.mayPublish(principal, topic);
      if (!may && traces.isTracing) traces.record(principal, { kind: "publish_refused", topic });
      return may;
    },
    maySubscribe(principal, topic) {
      const may = policy.maySubscribe(principal, topic);
      if (traces.isTracing) traces.record(principal, { kind: may ? "subscribed" : "subscribe_refused", topic });
      return may;
    },
    mayReceive(principal, topic) {
      const may = policy.mayReceive(principal, topic);
      if (may && traces.isTracing) traces.record(principal, { kind: "delivered", topic });
      return may;
    },
    storeMessage(principal, topic, payload, arrival) {
      const stored = policy.storeMessage(principal, topic, payload, arrival);
      if (!traces.isTracing) return stored;
      const { length: bytes } = payload;
      return stored.then((notStored) => {
        const detail = notStored?.reason ?? null;
        traces.record(principal, { kind: kindOf(notStored), topic, bytes, detail });
        return notStored;
      });
    },
    async openSession(principal, session) {
      const opened = await policy.openSession(principal, session);
      if (opened.ended === undefined && traces.isTracing)
        traces.record(principal, { kind: "connected", detail: session.remoteAddress });
      return opened;
    },
    closeSession(principal, sessionId, reason) {
      if (traces.isTracing) traces.record(principal, { kind: "disconnected", detail: reason });
      policy.closeSession(principal, sessionId, reason);
    },
    async waitingCommands(principal, request) {
      const waiting = await policy.waitingCommands(principal, request);
      if (traces.isTracing)
        for (const { topic, payload } of waiting.commands)
          traces.record(principal, { kind: "delivered", topic, bytes: payload.length });
      return waiting;
    },
  };
}

function kindOf(notStored: NotStored | undefined): TraceKind {
  if (notStored === undefined) return "published";
  return notStored.storedValues > 0 ? "partly_stored" : "not_stored";
}
