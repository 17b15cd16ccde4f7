import { z } from "zod";
import { id, nullableTimestamp, timestamp } from "../../shapes.ts";

/** One generation of a certificate authority or a server certificate. */
export const authorityStatus = z
  .strictObject({
    id,
    role: z.enum(["device_root", "device_intermediate", "server_root", "broker_server", "https_server"]),
    name: z.string(),
    status: z.enum(["upcoming", "active", "retiring", "retired"]),
    issuerId: id.nullable(),
    fingerprintSha256: z.string(),
    notBefore: timestamp,
    notAfter: timestamp,
    createdAt: timestamp,
    takeOverAt: nullableTimestamp.meta({ description: "When an upcoming server root becomes active" }),
    activatedAt: nullableTimestamp,
    retiringAt: nullableTimestamp,
    retiredAt: nullableTimestamp,
  })
  .meta({ id: "Authority" });

export const AUTHORITY_EXAMPLE = {
  id: "0199c1c0-1111-7a11-9c22-5e6f7a8b9c0d",
  role: "device_intermediate",
  name: "Muster issuing 1 5f3a9c01",
  status: "active",
  issuerId: "0199c1c0-0000-7a11-9c22-5e6f7a8b9c0d",
  fingerprintSha256: "9b1f4f0f7c2f5f6d1b1f1c0a8e5d4c3b2a1908f7e6d5c4b3a291807f6e5d4c3b",
  notBefore: "2026-11-01T00:00:00.000Z",
  notAfter: "2036-11-01T00:00:00.000Z",
  createdAt: "2026-11-01T00:05:00.000Z",
  takeOverAt: null,
  activatedAt: "2026-11-01T00:05:00.000Z",
  retiringAt: null,
  retiredAt: null,
};
