import { adminUseCase, type PreparedChange, useCase } from "../access/access.ts";
import type { AuthorityStatus, Rotation } from "../authorities/authorities.ts";
import type { PlatformDeps } from "./deps.ts";

/** Returns every generation of the certificate authorities and of the server certificates, oldest first. */
export const showAuthorities = useCase(
  { role: "platform" },
  ({ authorities }: PlatformDeps, _caller): Promise<AuthorityStatus[]> => authorities.status(),
);

/**
 * Replaces an authority with an overlap, like `muster ca rotate-…` (docs/pki.md). @returns every generation after the
 * change
 */
export const rotateAuthorities = adminUseCase(
  { role: "platform" },
  "ca.rotate",
  async ({ authorities }: PlatformDeps, caller, rotation: Rotation): Promise<PreparedChange<AuthorityStatus[]>> => ({
    change: async (tx) => {
      const result = await authorities.rotateIn(tx, rotation, caller);
      return { target: "ca", after: { rotation }, result };
    },
  }),
);
