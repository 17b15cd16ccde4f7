import { isIP } from "node:net";
import { inUrl } from "../../lib/address.ts";

/** The values of one device in the commands of a guide, without characters that a shell interprets. */
export interface GuideValues {
  /** A name or an address; an IPv6 address has no brackets. */
  host: string;
  port: number;
  baseUrl: string;
  renewalEndpoint: string;
  clientId: string;
  /** A topic that the device may publish to. */
  topic: string;
}

/** Commands or a program that connect as the device, from a folder with its files. */
export interface ClientExample {
  tool: "openssl" | "curl" | "mosquitto" | "mqtt.js" | "paho" | "esp-idf" | "agent";
  /** The purpose of the example. */
  does: string;
  language: "sh" | "js" | "python" | "c";
  text: string;
}

export const SAMPLE_PAYLOAD = '{"temperature": 21.5}';

/** The files that every example reads, and their contents. */
export const GUIDE_FILES = [
  { name: "key.pem", contains: "The private key of the device" },
  { name: "cert.pem", contains: "The client certificate" },
  { name: "chain.pem", contains: "The intermediate that issued it" },
  { name: "fullchain.pem", contains: "cert.pem followed by chain.pem, as the broker expects" },
  { name: "ca.pem", contains: "The authorities that verify the broker's own certificate" },
] as const;

/** Returns the examples that need no topic: the TLS check, the renewal and the agent. */
export function connectionExamples({ host, port, baseUrl, renewalEndpoint }: GuideValues): ClientExample[] {
  // TLS does not allow an address as the server's name (RFC 6066 3).
  const serverName = isIP(host) ? "-noservername" : `-servername ${host}`;
  return [
    {
      tool: "openssl",
      does: "Shows whether the TLS handshake succeeds, and which side refuses",
      language: "sh",
      text: `openssl s_client -connect ${inUrl(host)}:${port} ${serverName} -CAfile ca.pem -verify_return_error \\
  -cert cert.pem -cert_chain chain.pem -key key.pem -brief </dev/null`,
    },
    {
      tool: "curl",
      does: "Renews the certificate; answer.json contains the new one. Add --cacert while the service uses its development certificate",
      language: "sh",
      text: `openssl req -new -sha256 -key key.pem -subj / -out device.csr
curl -sS --cert fullchain.pem --key key.pem -H 'Content-Type: application/json' -o answer.json \\
  '${baseUrl}${renewalEndpoint}' --data-binary @- <<JSON
{ "csr": "$(awk '{ printf "%s\\\\n", $0 }' device.csr)" }
JSON`,
    },
    {
      tool: "agent",
      does: "Connects with the agent's own files, publishes each line of its input, renews automatically",
      language: "sh",
      text: `echo '${SAMPLE_PAYLOAD}' | muster-agent run --state-dir .`,
    },
  ];
}

/** Returns the examples that publish a reading. */
export function publishingExamples({ host, port, clientId, topic }: GuideValues): ClientExample[] {
  return [
    {
      tool: "mosquitto",
      does: "Publishes one reading",
      language: "sh",
      text: `mosquitto_pub -V mqttv5 -h ${host} -p ${port} --cafile ca.pem --cert fullchain.pem --key key.pem \\
  -i ${clientId} -q 1 -d -t ${topic} -m '${SAMPLE_PAYLOAD}'`,
    },
    {
      tool: "mqtt.js",
      does: "Publishes one reading",
      language: "js",
      text: `import { readFileSync } from "node:fs";
import mqtt from "mqtt";

const client = await mqtt.connectAsync({
  protocol: "mqtts",
  host: "${host}",
  port: ${port},
  clientId: "${clientId}",
  protocolVersion: 5,
  key: readFileSync("key.pem"),
  cert: readFileSync("fullchain.pem"),
  ca: readFileSync("ca.pem"),
});
await client.publishAsync("${topic}", '${SAMPLE_PAYLOAD}', { qos: 1 });
await client.endAsync();`,
    },
    {
      tool: "paho",
      does: "Publishes one reading (paho-mqtt 2)",
      language: "python",
      text: `import paho.mqtt.client as mqtt

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="${clientId}", protocol=mqtt.MQTTv5)
client.tls_set(ca_certs="ca.pem", certfile="fullchain.pem", keyfile="key.pem")
client.connect("${host}", ${port})
client.loop_start()
client.publish("${topic}", '${SAMPLE_PAYLOAD}', qos=1).wait_for_publish()
client.disconnect()`,
    },
    espIdfExample({ host, port, clientId, topic }),
  ];
}

function espIdfExample({
  host,
  port,
  clientId,
  topic,
}: Pick<GuideValues, "host" | "port" | "clientId" | "topic">): ClientExample {
  return {
    tool: "esp-idf",
    does: "Publishes one reading (esp-mqtt of ESP-IDF 5, with CONFIG_MQTT_PROTOCOL_5)",
    language: "c",
    text: `extern const char ca_pem[], fullchain_pem[], key_pem[];  // embedded with EMBED_TXTFILES

esp_mqtt_client_config_t config = {
    .broker.address.uri = "mqtts://${inUrl(host)}:${port}",
    .broker.verification.certificate = ca_pem,
    .session.protocol_ver = MQTT_PROTOCOL_V_5,
    .credentials.client_id = "${clientId}",
    .credentials.authentication = {.certificate = fullchain_pem, .key = key_pem},
};
esp_mqtt_client_handle_t client = esp_mqtt_client_init(&config);
esp_mqtt_client_start(client);
esp_mqtt_client_enqueue(client, "${topic}", ${JSON.stringify(SAMPLE_PAYLOAD)}, 0, 1, 0, true);`,
  };
}
