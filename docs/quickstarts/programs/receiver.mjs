import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";

const file = (name) => new URL(name, import.meta.url);

function isGenuine(headers, body) {
  const [id, time, signatures = ""] = ["id", "timestamp", "signature"].map((name) => headers[`webhook-${name}`]);
  if (!(Math.abs(Date.now() / 1000 - time) < 300)) return false;
  const key = Buffer.from(readFileSync(file("secret"), "utf8").trim().replace("whsec_", ""), "base64");
  const ours = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64")}`);
  return signatures.split(" ").some((each) => each.length === ours.length && timingSafeEqual(Buffer.from(each), ours));
}

const tls = { key: readFileSync(file("key.pem")), cert: readFileSync(file("cert.pem")) };
const server = createServer(tls, async (request, response) => {
  const body = await text(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const { type, data } = JSON.parse(body);
  writeFileSync(file("last.json"), JSON.stringify({ headers: request.headers, body }));
  console.log(`genuine: ${type} of ${data.group.name}`);
  response.end(type === "channel.confirmation" ? data.challenge : "");
});
server.listen(process.argv[2], "127.0.0.1", () => writeFileSync(file("pid"), String(process.pid)));
