import type { RetainOutcome } from "../../connections/connections.ts";
import type { Principal } from "../policy/policy.ts";
import type { Message } from "../routing/message.ts";
import type { SessionDeps } from "./session.ts";

/** Whether the message of a topic is this one, or none is left. */
export function isRetained(outcome: RetainOutcome["kind"] | undefined): boolean {
  return outcome === "retained" || outcome === "removed";
}

/** Retains a message of a client, or removes the one of its topic. Durable when it resolves; rejects when the database fails. */
export async function retain(
  { retained, policy }: Pick<SessionDeps, "retained" | "policy">,
  principal: Principal,
  message: Message,
): Promise<RetainOutcome["kind"]> {
  const { kind } = await retained.retain(principal, message);
  if (kind === "quota") policy.recordUnretained(principal, message.topic);
  return kind;
}
