import type { Command } from "commander";
import { subcommand } from "../options.ts";
import { count, escaped, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

const NONE_LEFT =
  "WARNING: no other node accepts MQTT connections. Devices stay offline until a service is started or restarted.";

/** Adds `muster node list | drain`. */
export function addNodeSubcommands(program: Command, exit: Exit): void {
  const node = program.command("node").description("Show and drain the serving processes of all machines");
  subcommand(node, "list", "List the nodes of all services on this database").action(({ json }) =>
    send(exit, { name: "node.list", body: {}, json, show: nodeLines }),
  );
  subcommand(
    node,
    "drain <node>",
    "Make a node refuse MQTT connections and end its sessions; <node> is an id, a prefix of one, or a host",
  ).action((which: string, { json }) =>
    send(exit, {
      name: "node.drain",
      body: { node: which },
      json,
      show: (result) => [
        ...nodeLines(result),
        `Draining ${count(result.items.length, "node")}: when muster node list shows no sessions, stop the service.`,
        "A drain cannot be undone: only a restarted service accepts connections.",
        ...(result.accepting === 0 ? [NONE_LEFT] : []),
      ],
    }),
  );
}

function nodeLines({ items }: Result): string[] {
  const head = ["NODE", "HOST", "PART", "VERSION", "STATE", "SESSIONS", "STARTED"];
  const rows = items.map(({ id, host, part, version, state, sessions, startedAt }: Result) =>
    [id, host, part, version, state, String(sessions), startedAt].map(escaped),
  );
  return table(head, rows, "No nodes.");
}
