import type { Command } from "commander";
import { type Answer, columns, type Exit, leaf, send } from "../send.ts";

/** `muster ca …` */
export function addAuthorityCommands(program: Command, exit: Exit): void {
  const ca = program.command("ca").description("the certificate authorities and the servers' certificates");
  leaf(ca, "status", "every generation there was, oldest first").action(({ json }) =>
    send(exit, { name: "ca.status", body: {}, json, show }),
  );
  leaf(ca, "rotate-intermediate", "sign devices with a new intermediate from now on").action(({ json }) =>
    send(exit, { name: "ca.rotate-intermediate", body: {}, json, show }),
  );
  leaf(ca, "rotate-root", "new roots: for devices at once, for servers once devices have had time to fetch it")
    .option("--immediately", "use the new server root at once: devices that have not renewed since cannot connect")
    .action(({ json, immediately }) => send(exit, { name: "ca.rotate-root", body: { immediately }, json, show }));
  leaf(ca, "rotate-server", "new broker and HTTPS certificates").action(({ json }) =>
    send(exit, { name: "ca.rotate-server", body: {}, json, show }),
  );
}

function show({ authorities }: Answer): string[] {
  const rows: string[][] = authorities.map((each: Answer) => [
    each.role,
    each.status,
    `until ${each.notAfter.slice(0, 10)}`,
    each.fingerprintSha256.slice(0, 16),
    each.takeOverAt && each.status === "upcoming" ? `takes over ${each.takeOverAt.slice(0, 10)}` : "",
  ]);
  return columns(rows, "There are no authorities yet.");
}
