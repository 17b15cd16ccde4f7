import { z } from "zod";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { CERTIFICATE_STATE } from "../named-shapes.ts";
import { adminRoute } from "../route.ts";
import { id, idParams } from "../shapes.ts";

const example = z
  .strictObject({
    tool: z.enum(["openssl", "curl", "mosquitto", "mqtt.js", "paho", "esp-idf", "agent"]),
    does: z.string(),
    language: z.enum(["sh", "js", "python", "c"]),
    text: z.string().meta({ description: "Commands or a program, to be run in a folder that contains the files" }),
  })
  .meta({ id: "ClientExample" });

const guide = z
  .strictObject({
    brokerUrl: z.string(),
    host: z.string().meta({ description: "The host, without the brackets of an IPv6 address in `brokerUrl`" }),
    port: z.int(),
    clientId: id,
    publishTopics: z.array(z.string()),
    certificateState: CERTIFICATE_STATE,
    serverCaBundle: z
      .string()
      .meta({ description: "PEM: the trust anchors with which the device verifies the broker" }),
    samplePayload: z.string(),
    files: z.array(z.strictObject({ name: z.string(), contains: z.string() })),
    examples: z.array(example).meta({ description: "None of them publishes if there is no publish topic" }),
  })
  .meta({ id: "ConnectGuide" });

export const getConnectGuide = adminRoute({
  useCase: enrollmentUseCases.connectGuide,
  operationId: "getConnectGuide",
  method: "GET",
  path: "/api/admin/devices/{id}/connect-guide",
  tag: "Devices",
  summary: "Show how a device connects",
  description:
    "Addresses, files and commands for several clients, filled in with the values of the device. The answer contains no secret.",
  params: idParams,
  status: 200,
  response: guide,
  errors: ["not_found"],
  examples: {
    response: {
      brokerUrl: "mqtts://muster.example.com:8883",
      host: "muster.example.com",
      port: 8883,
      clientId: "pump-1",
      publishTopics: ["t/acme/telemetry/pump-1"],
      certificateState: "active",
      serverCaBundle: "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n",
      samplePayload: '{"temperature": 21.5}',
      files: [{ name: "key.pem", contains: "The private key of the device" }],
      examples: [
        {
          tool: "mosquitto",
          does: "Publishes one reading",
          language: "sh",
          text: "mosquitto_pub -V mqttv5 -h muster.example.com -p 8883 --cafile ca.pem --cert fullchain.pem --key key.pem -i pump-1 -q 1 -t t/acme/telemetry/pump-1 -m '{\"temperature\": 21.5}'",
        },
      ],
    },
  },
  handler: (caller, { params }, connectGuide) => connectGuide(caller, params.id),
});
