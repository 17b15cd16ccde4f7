import type { RetainOutcome } from "../../connections/connections.ts";
import type { Message } from "../message.ts";
import type { Principal } from "../policy/policy.ts";
import type { SessionDeps } from "./session.ts";

/** Whether the outcome is that the topic now retains this message, or none. */
export function isRetained(outcome: RetainOutcome["kind"] | undefined): boolean {
  return outcome === "retained" || outcome === "removed";
}

/** Retains a client's message, or removes its topic's one. Durable once it resolves; rejects if the database fails. */
export async function retain(
  { retained, policy }: Pick<SessionDeps, "retained" | "policy">,
  principal: Principal,
  message: Message,
): Promise<RetainOutcome["kind"]> {
  const { kind } = await retained.retain(principal, message);
  if (kind === "quota") policy.recordUnretained(principal, message.topic);
  return kind;
}
