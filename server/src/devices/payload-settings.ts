/** How the payloads of a device type are decoded. */
export const PAYLOAD_FORMATS = ["auto", "senml-json", "senml-cbor", "telegraf", "cayenne-lpp"] as const;
export type PayloadFormat = (typeof PAYLOAD_FORMATS)[number];

/** What a device type says about one of its metrics. */
export interface MetricSetting {
  metric: string;
  label?: string | undefined;
  unit?: string | undefined;
  /** The place of the value (RFC 6901). If a metric has one, only metrics with a place are read. */
  pointer?: string | undefined;
  /** The factor by which numbers are multiplied. */
  factor?: number | undefined;
}

export interface PayloadSettings {
  payloadFormat: PayloadFormat;
  metrics: readonly MetricSetting[];
}
