// `npm ci` ends with one sentence on a machine without a Node that runs the sources. Old versions can parse this file.
import { requireNode } from "../server/bin/require-node.mjs";

requireNode("Muster", [24, 7]);
