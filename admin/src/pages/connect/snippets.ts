/** What a client of the device needs to know. */
export interface ClientSettings {
  deviceId: string;
  topic: string;
  host: string;
  port: number;
}

export interface Snippet {
  name: string;
  /** What it would be saved as. */
  file: string;
  text: (settings: ClientSettings) => string;
}

/** The same first message with several clients; each presents the certificate with its chain. */
export const SNIPPETS: readonly Snippet[] = [
  {
    name: "mosquitto",
    file: "publish.sh",
    text: ({
      deviceId,
      topic,
      host,
      port,
    }) => `mosquitto_pub -h ${host} -p ${port} --cafile ca.pem --cert fullchain.pem --key key.pem \\
  -i ${deviceId} -q 1 -t ${topic} -m '{"temperature": 21.5}'
`,
  },
  {
    name: "mqtt.js",
    file: "publish.mjs",
    text: ({ deviceId, topic, host, port }) => `import { readFileSync } from "node:fs";
import mqtt from "mqtt";

const client = await mqtt.connectAsync("mqtts://${host}:${port}", {
  clientId: "${deviceId}",
  ca: readFileSync("ca.pem"),
  cert: readFileSync("fullchain.pem"),
  key: readFileSync("key.pem"),
});
await client.publishAsync("${topic}", JSON.stringify({ temperature: 21.5 }), { qos: 1 });
await client.endAsync();
`,
  },
  {
    name: "Paho (Python)",
    file: "publish.py",
    text: ({ deviceId, topic, host, port }) => `import json
import paho.mqtt.client as mqtt

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="${deviceId}")
client.tls_set(ca_certs="ca.pem", certfile="fullchain.pem", keyfile="key.pem")
client.connect("${host}", ${port})
client.loop_start()
client.publish("${topic}", json.dumps({"temperature": 21.5}), qos=1).wait_for_publish()
client.disconnect()
`,
  },
  {
    name: "ESP-IDF",
    file: "connect.c",
    text: ({
      deviceId,
      topic,
      host,
      port,
    }) => `// ca_pem, fullchain_pem and key_pem: the files, embedded with EMBED_TXTFILES
const esp_mqtt_client_config_t config = {
    .broker.address.uri = "mqtts://${host}:${port}",
    .broker.verification.certificate = ca_pem,
    .credentials.client_id = "${deviceId}",
    .credentials.authentication.certificate = fullchain_pem,
    .credentials.authentication.key = key_pem,
};
esp_mqtt_client_handle_t client = esp_mqtt_client_init(&config);
esp_mqtt_client_start(client);
esp_mqtt_client_enqueue(client, "${topic}", "{\\"temperature\\": 21.5}", 0, 1, 0, true);
`,
  },
];
