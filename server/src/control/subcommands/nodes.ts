import { type Subcommand, subcommand, text } from "../subcommand.ts";

/** The commands for the processes that serve on this database, on any machine. */
export const nodeSubcommands: readonly Subcommand[] = [
  subcommand("node.list", {}, async ({ connections }) => ({ items: await connections.listNodes() })),
  subcommand("node.drain", { node: text }, async ({ connections }, { node }) => {
    const { nodes, accepting } = await connections.drainNodes(node);
    return { items: nodes, accepting };
  }),
];
