import { useQuery } from "@tanstack/react-query";
import type { operations } from "../api/generated/admin.ts";
import { type Session, sessionQuery } from "../api/session.ts";

/** The id of an operation of the admin API. */
export type Operation = keyof operations;

/** The session of the signed-in user; only for screens and parts within the shell. */
export function useSession(): Session {
  return useQuery(sessionQuery).data ?? NONE;
}

/** While a session ends, the shell is shown for a moment without one. */
const NONE: Session = {
  user: { id: "", email: "", role: "viewer", platform: false },
  tenant: { id: "", slug: "", name: "" },
  factor: "none",
  passwordDue: false,
  operations: [],
};

/** Whether the user may call an operation. What is never allowed is hidden; what is not possible now is disabled, with the reason. */
export function useMay(operation: Operation): boolean {
  return useSession().operations.includes(operation);
}

/** Whether the user may call all of `operations`. */
export function mayAll(session: Session, operations: readonly string[]): boolean {
  return operations.every((each) => session.operations.includes(each));
}
