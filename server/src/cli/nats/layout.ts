/**
 * The addresses at which the servers of a configuration listen and find each other. All servers share one file;
 * differences are in their environment.
 */
export interface Layout {
  /** The host and port of each server. */
  addresses: readonly string[];
  /** The environment in which each server is started, and its host. */
  starts: readonly string[];
  /** The configuration lines for listening to clients and to other servers. */
  listen: string;
  clusterListen: string;
  /** The host and port at which each server is found by the others. */
  routes: readonly string[];
  /** The value of JetStream's `store_dir`. */
  storeFolder: string;
}

const CLIENT_PORT = 4222;
/** The offset from a server's client port to its cluster port. */
const CLUSTER_OFFSET = 2000;
const LAST_PORT = 65_535;
const EXAMPLE_SERVERS = ["nats-1.example", "nats-2.example", "nats-3.example"];
const STORE_FOLDER = "/var/lib/nats";

interface Server {
  name: string;
  /** The host, with brackets around an IPv6 address. */
  host: string;
  port: number;
  clusterPort: number;
}

/**
 * Lays out the servers.
 *
 * @param addresses in the format of `MUSTER_NATS_URL`, without a scheme; an example is used if there are none
 */
export function layoutOf(addresses: readonly string[]): Layout {
  const servers = (addresses.length > 0 ? addresses : EXAMPLE_SERVERS).map(serverOf);
  const common = {
    addresses: servers.map(({ host, port }) => `${host}:${port}`),
    routes: servers.map(({ host, clusterPort }) => `${host}:${clusterPort}`),
  };
  const host = listeningHost(servers);
  const at = (ownPort: number) => (host.includes(":") ? `"[${host}]:${ownPort}"` : `${host}:${ownPort}`);
  const [{ port, clusterPort }] = servers as [Server];
  if (servers.every((each) => each.port === port))
    return {
      ...common,
      starts: servers.map((each) => `on ${each.host}: NATS_SERVER_NAME=${each.name}`),
      listen: `listen: ${at(port)}`,
      clusterListen: `listen: ${at(clusterPort)}`,
      storeFolder: `"${STORE_FOLDER}"`,
    };
  return {
    ...common,
    starts: servers.map((each) => `on ${each.host}: ${environmentOf(each)}`),
    listen: `host: "${host}"\nport: $NATS_PORT`,
    clusterListen: `host: "${host}"\n  port: $NATS_CLUSTER_PORT`,
    storeFolder: "$NATS_STORE_DIR",
  };
}

function serverOf(address: string, index: number): Server {
  const [, host, given] = /^(.*?)(?::(\d+))?$/.exec(address)!;
  const port = Number(given ?? CLIENT_PORT);
  const clusterPort = port + CLUSTER_OFFSET > LAST_PORT ? port - CLUSTER_OFFSET : port + CLUSTER_OFFSET;
  return { name: `nats-${index + 1}`, host: host!, port, clusterPort };
}

function environmentOf({ name, port, clusterPort }: Server): string {
  return `NATS_SERVER_NAME=${name} NATS_PORT=${port} NATS_CLUSTER_PORT=${clusterPort} NATS_STORE_DIR=${STORE_FOLDER}/${name}`;
}

/**
 * Returns a listen address without brackets. If all servers run on one machine, they listen on loopback only: without
 * TLS, no other machine may have access.
 */
function listeningHost(servers: readonly Server[]): string {
  if (servers.every(({ host }) => host === "[::1]")) return "::1";
  return servers.every(({ host }) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)) ? "127.0.0.1" : "0.0.0.0";
}
