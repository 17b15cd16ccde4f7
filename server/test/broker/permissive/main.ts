/**
 * `npm run broker:permissive -- --port 1883` starts the engine over plain TCP on loopback, for the test suites of other
 * brokers, which run from their own checkouts:
 *
 * - Mosquitto: `test/broker/msg_sequence_test.py` with `test/broker/data/*.json` (2.1 or later), its helper pointed at
 *   the port, `do_test("127.0.0.1", 1883, "mqtt")` in place of its `main`. All 1,773 vectors of 2.1.2 pass.
 * - Eclipse Paho: `interoperability/client_test.py`, and `client_test5.py -p 1883`. All 11 tests of 3.1.1, with
 *   `Test.will_message_test`, which runs by name only, and 27 of 5 pass.
 *
 * The policy allows client ids up to 256 bytes or assigned, and all topics but `$SYS/`, `$CONTROL/` and `$share/`
 * (except `$SYS/broker/connection/<name>/state`). It has no rate limits and one tenant. Subscribing to
 * `test/nosubscribe` is refused with 0x80. The CONNACK of MQTT 5 announces topic alias maximum 10, maximum packet size
 * 2,000,000 and receive maximum 20; a keep alive of 0 or above 60 becomes 60.
 */
import { parseArgs } from "node:util";
import { createPermissiveBroker } from "./permissive-broker.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "1883" } } });
const broker = createPermissiveBroker(Number(values.port));
const { port } = await broker.start();
console.log(`MQTT without any check at 127.0.0.1:${port}. For outside test suites only. Stop it with Ctrl+C.`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void broker.stop());
