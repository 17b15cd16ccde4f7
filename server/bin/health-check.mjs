// Ends with 0 if the service of this container answers `GET /readyz` with 200; the image's health check runs it.
// Configuration is read here because importing the service's own would take longer than the check.
import { get } from "node:https";

const { MUSTER_HTTP_HOST: listening = "0.0.0.0", MUSTER_HTTP_PORT: port = "8443" } = process.env;
// An address, because a container need not know the name localhost.
const host = listening === "0.0.0.0" ? "127.0.0.1" : listening === "::" ? "::1" : listening;

/** @param {string} reason */
function fail(reason) {
  console.error(`not ready: ${reason}`);
  process.exit(1);
}

// The certificate names the public host, which this address is not.
get({ host, port, path: "/readyz", rejectUnauthorized: false, timeout: 4_000 }, ({ statusCode }) => {
  if (statusCode === 200) process.exit(0);
  fail(`GET /readyz answered ${statusCode}`);
})
  .on("timeout", () => fail("GET /readyz was not answered"))
  .on("error", ({ message }) => fail(message));
