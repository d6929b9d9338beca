/** What was in a file before a call wrote to it: enough to put it back where nobody changed it since. */
export interface KeptFile {
  readonly path: string;
  /** Base64; null where there was no file. */
  readonly before: string | null;
  readonly mode: number | null;
  /** The SHA-256 of what the call wrote, in base64url. */
  readonly after: string;
}

/** What the name of a file with old bytes ends with. */
export const KEPT_ENDING = ".before.json";
