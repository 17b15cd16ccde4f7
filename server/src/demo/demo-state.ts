import type { PublicApi } from "./public-api.ts";
import type { Sinks } from "./receivers/sinks.ts";
import type { DemoService } from "./service.ts";
import type { SimulatedPump } from "./simulated-pump.ts";

export const TENANT = "demo";
export const ADMIN = "admin@demo.example";

export interface User {
  id: string;
  email: string;
}

/**
 * The service being demonstrated, and everything that the steps have created there: each step sets the values that
 * later steps read.
 */
export class DemoState {
  readonly service: DemoService;
  readonly sinks: Sinks;
  /** Contains everything the demo writes. */
  readonly folder: string;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;

  adminPassword!: string;
  deviceTypeId!: string;
  claimCode!: string;
  pumps: SimulatedPump[] = [];
  /** A client whose key covers devices, claims, certificates, groups, shifts and thresholds. */
  api!: PublicApi;

  operator!: User;
  leader!: User;
  /** The group that pages its shift first, then all members. */
  maintenanceGroupId!: string;
  /** The group that notifies an e-mail address and a webhook. */
  controlRoomId!: string;
  /** A client whose key covers only anomalies and tickets. */
  maintenanceApi!: PublicApi;
  anomalyId!: string;
  ticketId!: string;

  constructor({ service, sinks, folder, random }: Pick<DemoState, "service" | "sinks" | "folder" | "random">) {
    this.service = service;
    this.sinks = sinks;
    this.folder = folder;
    this.random = random;
  }
}
