import { type Server, type Socket, SocketAddress } from "node:net";
import type { TLSSocket } from "node:tls";
import { type AddressRange, isInRanges, withoutMapping } from "../address.ts";
import { withTimeout } from "../timeouts.ts";

/** A client as named by a load balancer. */
export interface ProxiedPeer {
  address: string;
  port: number;
}

/** The PROXY protocol, version 2, section 2.2: signature, version and command, family, length. */
const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const HEAD_BYTES = 16;
const LOCAL = 0x20;
const PROXY = 0x21;
/** The bytes of addresses and ports over TCP, by family. */
const FAMILIES = new Map([
  [0x11, { family: "ipv4", addressBytes: 4 }],
  [0x21, { family: "ipv6", addressBytes: 16 }],
] as const);
/** Load balancers add a few hundred bytes at most to the addresses. */
const MAX_BODY_BYTES = 4_096;
const HEADER_MS = 5_000;

/**
 * Reads the header that load balancers in `from` send before a client's TLS (`send-proxy-v2`), so that every connection
 * has the address of its client. A connection from there without a header is closed; from any other address no header
 * is expected.
 *
 * @param server with all its listeners attached: from now on they get a connection once its header was read
 */
export function readProxyHeaders(server: Server, from: readonly AddressRange[]): void {
  if (from.length === 0) return;
  const listeners = server.listeners("connection");
  const proceed = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  const clients = new Map<string, ProxiedPeer>();
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (!isInRanges(withoutMapping(socket.remoteAddress ?? ""), from)) return proceed(socket);
    socket.on("error", ignore);
    readHeader(socket).then(
      (client) => {
        if (client) rename(clients, socket, client);
        proceed(socket);
      },
      () => socket.destroy(),
    );
  });
  // Node's TLS socket asks the operating system for its peer, which is the load balancer.
  server.prependListener("secureConnection", (socket: TLSSocket) => {
    const client = clients.get(nameOf(socket));
    if (client) setPeer(socket, client);
  });
}

function rename(clients: Map<string, ProxiedPeer>, socket: Socket, client: ProxiedPeer): void {
  const name = nameOf(socket);
  clients.set(name, client);
  socket.once("close", () => {
    if (clients.get(name) === client) clients.delete(name);
  });
  setPeer(socket, client);
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function setPeer(socket: Socket, { address, port }: ProxiedPeer): void {
  Object.defineProperties(socket, { remoteAddress: { value: address }, remotePort: { value: port } });
}

/**
 * Reads the header and nothing after it. Rejects if there is none.
 *
 * @returns undefined for a connection of the proxy itself
 */
async function readHeader(socket: Socket): Promise<ProxiedPeer | undefined> {
  const reading = (async () => {
    const head = await bytesOf(socket, HEAD_BYTES);
    const length = bodyLength(head);
    return proxiedPeer(head, length === 0 ? Buffer.alloc(0) : await bytesOf(socket, length));
  })();
  return await withTimeout(reading, HEADER_MS, () => {
    throw new Error("no PROXY header in time");
  });
}

/** Resolves with exactly `count` bytes; rejects if the connection ends before. */
function bytesOf(socket: Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const removeListeners = () => {
      socket.off("readable", onReadable);
      socket.off("close", onClose);
    };
    const onReadable = () => {
      const bytes = socket.read(count) as Buffer | null;
      // At its end, a stream returns the remaining bytes.
      if (bytes === null) return;
      removeListeners();
      if (bytes.length === count) resolve(bytes);
      else reject(new Error("the connection ends within its PROXY header"));
    };
    const onClose = () => {
      removeListeners();
      reject(new Error("the connection ends before its PROXY header"));
    };
    socket.on("readable", onReadable);
    socket.on("close", onClose);
    onReadable();
  });
}

/** Returns the number of bytes that follow the first 16. @throws Error if these are not a header of version 2 */
export function bodyLength(head: Buffer): number {
  const length = head.readUInt16BE(14);
  if (!head.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error("no PROXY header of version 2");
  if (length > MAX_BODY_BYTES) throw new Error(`a PROXY header with ${length} bytes`);
  return length;
}

/**
 * Returns the client that a header names; `undefined` for a connection that the proxy made for itself, or whose client
 * it does not know.
 *
 * @throws Error for any other command, and if the body is too short
 */
export function proxiedPeer(head: Buffer, body: Buffer): ProxiedPeer | undefined {
  const command = head[12]!;
  if (command !== LOCAL && command !== PROXY) throw new Error(`a PROXY header with command ${command}`);
  const found = FAMILIES.get(head[13]! as 0x11);
  if (command === LOCAL || !found) return undefined;
  const { family, addressBytes } = found;
  const port = body.readUInt16BE(2 * addressBytes);
  return { address: textOf(body.subarray(0, addressBytes), family), port };
}

function textOf(bytes: Buffer, family: "ipv4" | "ipv6"): string {
  if (family === "ipv4") return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
  return new SocketAddress({ address: groups.join(":"), family }).address;
}

/** Ignores the error of a failed socket; what matters is that the socket closes. */
function ignore(): void {}
