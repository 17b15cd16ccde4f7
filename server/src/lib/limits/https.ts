import { limitTable } from "./limit.ts";

/** HTTPS: what one address may cost the listener. */
export const https = limitTable({
  httpsConnectionsPerAddress: {
    level: "address",
    of: "HTTPS connections from one address block (IPv4 /32, IPv6 /64); addresses of trusted proxies are exempt",
    value: 1_000,
    reached: "the address's longest idle connection is closed, or the new one",
  },
  httpsConnections: {
    level: "process",
    of: "HTTPS connections of one process",
    value: 10_000,
    reached: "a connection of the address block with most of them is closed",
  },
});
