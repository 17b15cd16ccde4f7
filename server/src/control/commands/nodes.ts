import { type Command, command, text } from "../command.ts";

/** The processes that serve on this database, those of other machines included. */
export const nodeCommands: readonly Command[] = [
  command("node.list", {}, async ({ connections }) => ({ items: await connections.listNodes() })),
  command("node.drain", { node: text }, async ({ connections }, { node }) => {
    const { nodes, accepting } = await connections.drainNodes(node);
    return { items: nodes, accepting };
  }),
];
