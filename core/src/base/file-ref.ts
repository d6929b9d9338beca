/** Names a file that Hermes keeps by its content. The content is in the file store of Hermes' home. */
export interface FileRef {
  /** The SHA-256 of the content, in lower-case hexadecimal digits. */
  readonly hash: string;
  /** As the person or the agent called it, on one line, without a path. */
  readonly name: string;
  /** By the content where Hermes knows that kind of file, else as the sender's platform called it. */
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
}

/** A file of a transcript: one that a call sent has more than its content. */
export interface SentFile extends FileRef {
  /** What stands below it, on one line. */
  readonly caption?: string;
  /** Where it lay when it was sent: an absolute path without links. */
  readonly sentFrom?: string;
  /** Where others read what the call was made for, the session key of that chat; missing where nobody else did. */
  readonly sentIn?: string;
}

/** The largest file that Hermes takes in, keeps or sends, in bytes. */
export const LARGEST_FILE = 25 * 1024 * 1024;

const HASH = /^[0-9a-f]{64}$/;

/** Whether a text is the hash of a {@link FileRef}: nothing else becomes part of a path. */
export function isFileHash(text: string): boolean {
  return HASH.test(text);
}
