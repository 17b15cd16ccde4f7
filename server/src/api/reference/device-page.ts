import { type Html, html } from "../pages/html.ts";
import { redeemClaim } from "../provisioning/redeem-claim.ts";
import { renewCertificate } from "../provisioning/renew-certificate.ts";
import { createClaim } from "../v1/claims.ts";
import { issueBundle } from "../v1/device-certificates.ts";
import type { Page, Site } from "./layout.ts";
import { DEVICE_PAGE, links, operationPage } from "./links.ts";
import { prose } from "./prose.ts";
import { curl, sample } from "./samples.ts";

/** Describes how a device gets its certificate, connects with it and renews it (spec 1, 2.8, 4.9, 4.10, 7). */
export function devicePage(site: Site): Page {
  const { hostname, port: given } = new URL(site.brokerUrl);
  const port = given || "8883";
  return {
    path: DEVICE_PAGE,
    title: "How a device connects",
    about:
      "Enrolling a device with a claim code and its own key, connecting over MQTT with the certificate, renewing it.",
    main: html`<h1>How a device connects</h1>
<p class="lead">A device generates its own key, exchanges a claim code for a certificate, connects over MQTT with nothing else, and renews in time. The key never leaves the device.</p>
<p>A device that cannot generate a key gets a bundle instead: ${operation(issueBundle)}.</p>
<h2 id="key">1. Create a key and a signing request</h2>
<p>The key is EC on the curve P-256. The subject in the request is ignored: the service assigns its own.</p>
${sample("Shell", KEY)}
<h2 id="redeem">2. Redeem the claim code</h2>
<p>An integration creates the claim with an API key (${operation(createClaim)}) and passes the code to the device. No API key is needed here: the code is the credential. ${operation(redeemClaim)} describes the request and the answer.</p>
${sample("Request", curl(redeemClaim, site.device, site.baseUrl))}
${text("A device that has enrolled before must present its valid certificate in this request (mTLS); otherwise it gets `401 reenrollment_proof_required`.")}
<h2 id="connect">3. Connect and publish</h2>
<p>Connect with MQTT over TLS, with the certificate <em>and</em> its issuing chain. Client ids are compared exactly, letter case included.</p>
<dl class="facts">
<div><dt>Host</dt><dd><code>${hostname}</code></dd></div>
<div><dt>Port</dt><dd>${port}</dd></div>
<div><dt>Client id</dt><dd>exactly <code>deviceId</code></dd></div>
<div><dt>Client certificate</dt><dd><code>mqtt.clientCert</code> followed by <code>mqtt.clientCertChain</code></dd></div>
<div><dt>Trust anchor</dt><dd><code>mqtt.serverCaBundle</code>: not the chain of the client certificate</dd></div>
<div><dt>Topics</dt><dd>those of <code>mqtt.publishTopics</code> exactly, and no others. To receive messages: those of <code>mqtt.subscribeTopics</code>, which is present if the device type lists any</dd></div>
</dl>
${sample("Shell", publish(hostname, port))}
<p>A message is a JSON object of readings. With QoS 1 it is acknowledged once it is stored.</p>
<h2 id="renew">4. Renew</h2>
${text("A self-enrolled certificate is valid for 30 days. From `renewAfterUtc` (day 21) request the next one, over mTLS with the current one, for the same key or a new one.")}
<p>${operation(renewCertificate)} returns the new certificate and revokes the presented one; the open session continues, and the next connection must use the new certificate. Verify this server with your ordinary trust store, not with <code>serverCaBundle</code>; while it uses its development certificate, verify it with its <code>data/tls/ca.pem</code> (curl: <code>--cacert</code>, also in the request above).</p>
${sample("Request", curl(renewCertificate, site.device, site.baseUrl))}
<h2 id="trouble">When it does not connect</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="trouble"><table>
<thead><tr><th scope="col">Symptom</th><th scope="col">Most likely cause</th></tr></thead>
<tbody>${TROUBLE.map(([seen, cause]) => html`<tr><td>${seen}</td><td>${cause}</td></tr>\n`)}</tbody>
</table></div>
<h2 id="limits">Limits</h2>
<p>An address may send 600 requests per minute, unless the operator has set another number. Unknown claim codes are counted separately: after 30 in 10 minutes further guesses from that address are refused for a while; a known code is always checked. Bodies have at most 16 KiB. Unknown fields are ignored, so that firmware may be newer than the service.</p>`,
  };
}

const KEY = `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
openssl req -new -sha256 -key key.pem -subj / -out device.csr`;

function publish(host: string, port: string): string {
  return `cat leaf.pem chain.pem > fullchain.pem
mosquitto_pub -V mqttv5 -h ${host} -p ${port} -i "$DEVICE_ID" -q 1 -t "$TOPIC" -m '{"temperature": 21.5}' \\
  --cafile ca.pem --cert fullchain.pem --key key.pem`;
}

const TROUBLE = [
  ["The TLS handshake fails immediately", "The leaf was presented without its issuing chain"],
  ["The handshake fails while the device verifies the broker", "The trust anchor is not serverCaBundle"],
  [
    "TLS succeeds, then the connection closes immediately",
    "The client id is not exactly the device id, or the certificate is revoked",
  ],
  ["The connection closes on a message", "The topic is not on the certificate's list"],
  ["It worked for a while, then every new connection fails", "The certificate has expired: renewal was missed"],
  [
    "It connects but may not publish anywhere",
    "The device's type has no topic. Set the type, then renew or reissue: topics are fixed when a certificate is issued",
  ],
];

function operation(route: { operationId: string; summary: string }): Html {
  return html`<a href="${operationPage(route)}">${route.summary}</a>`;
}

function text(words: string): Html[] {
  return prose(words, links);
}
