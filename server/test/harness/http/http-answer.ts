export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The raw body, still compressed if it was. */
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer
  json: any;
}
