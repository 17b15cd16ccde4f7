import { z } from "zod";
import { command } from "../command.ts";

/** The certificate authorities and the health of the books. */
export const operationsCommands = [
  command("ca.status", {}, async ({ authorities }) => ({ authorities: await authorities.status() })),
  command("ca.rotate-intermediate", {}, async ({ authorities }) => ({
    authorities: await authorities.rotateIntermediate(),
  })),
  command("ca.rotate-root", { immediately: z.boolean().optional() }, async ({ authorities }, { immediately }) => ({
    authorities: await authorities.rotateRoot(immediately ? { immediately } : undefined),
  })),
  command("ca.rotate-server", {}, async ({ authorities }) => ({ authorities: await authorities.rotateServer() })),
  command("doctor", { deep: z.boolean() }, ({ doctor }, input) => doctor.examine(input)),
];
