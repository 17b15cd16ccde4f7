import { type Command, command, text } from "../subcommand.ts";

/** The commands for the processes that serve on this database, on any machine. */
export const nodeCommands: readonly Command[] = [
  command("node.list", {}, async ({ connections }) => ({ items: await connections.listNodes() })),
  command("node.drain", { node: text }, async ({ connections }, { node }) => {
    const { nodes, accepting } = await connections.drainNodes(node);
    return { items: nodes, accepting };
  }),
];
