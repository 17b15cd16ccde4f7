import { readFileSync } from "node:fs";
import mqtt from "mqtt";

const [broker, clientId, topic, commands] = process.argv.slice(2);
const hex = (code) => `0x${code.toString(16).toUpperCase()}`;
const client = mqtt.connect(broker, {
  clientId,
  protocolVersion: 5,
  clean: false,
  properties: { sessionExpiryInterval: 7 * 86400, receiveMaximum: 16 },
  key: readFileSync("key.pem"),
  cert: readFileSync("fullchain.pem"),
  ca: readFileSync("ca.pem"),
  reconnectPeriod: 1000 + Math.random() * 4000,
});

async function publish(to, payload) {
  try {
    await client.publishAsync(to, payload, { qos: 1 });
    console.log("a message is stored");
  } catch (error) {
    // Only this message: the session stays.
    console.log(`a message was refused: ${error.message} (${hex(error.code)})`);
  }
}

client.on("connect", async () => {
  console.log("connected");
  await client.subscribeAsync(commands, { qos: 1 }).catch((error) => console.log(`not subscribed: ${error.message}`));
});
client.on("message", (_topic, payload) => {
  const command = payload.toString();
  console.log("command:", command);
  if (command === "read") publish(topic, '{"temperature": 21.5}');
  if (command === "try") publish(`${topic}/other`, "not my topic");
  // mqtt.js acknowledges the command when this function has returned.
  if (command === "stop") setImmediate(() => client.end());
});
client.on("disconnect", ({ reasonCode }) => {
  console.log(`disconnected by the broker: ${hex(reasonCode)}`);
});
client.on("error", ({ message, code }) => {
  console.log(`error: ${message} (${typeof code === "number" ? hex(code) : code})`);
  if (code === 0x87) client.end(true); // trying again does not help
});
