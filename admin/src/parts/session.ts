import { useQuery } from "@tanstack/react-query";
import type { operations } from "../api/generated/admin.ts";
import { type Session, sessionQuery } from "../api/session.ts";

export type Operation = keyof operations;

/** Returns the session of the signed-in user, for screens and parts within the shell. */
export function useSession(): Session {
  return useQuery(sessionQuery).data ?? NONE;
}

/** The shell shows this for a moment while a session ends. */
const NONE: Session = {
  user: { id: "", email: "", role: "viewer", platform: false },
  profile: { name: null, language: null, timeZone: null, clock: null, theme: null },
  tenant: { id: "", slug: "", name: "" },
  factor: "none",
  factorKinds: [],
  passwordDue: false,
  singleSignOn: false,
  operations: [],
};

/**
 * Returns whether the user may call an operation. An act that is never allowed is hidden; one that is impossible now is
 * disabled with the reason.
 */
export function useMay(operation: Operation): boolean {
  return useSession().operations.includes(operation);
}

export function mayAll(session: Session, operations: readonly string[]): boolean {
  return operations.every((each) => session.operations.includes(each));
}
