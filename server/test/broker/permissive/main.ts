import { parseArgs } from "node:util";
import { createPermissiveBroker } from "./permissive-broker.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "1883" } } });
const broker = createPermissiveBroker(Number(values.port));
const { port } = await broker.start();
console.log(`MQTT without any check at 127.0.0.1:${port}. For outside test suites only. Stop it with Ctrl+C.`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void broker.stop());
