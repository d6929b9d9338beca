const BOM = "\ufeff";

/** The text of a file with `\n` as line ending, and how it is written back. */
export interface FileText {
  readonly text: string;
  /** The bytes of another text in the same form: with the file's line endings and its byte order mark. */
  encoded(text: string): Buffer;
}

/** Decodes UTF-8; null for anything else. A file whose line endings are mixed keeps each as it is. */
export function fileText(bytes: Uint8Array): FileText | null {
  let whole: string;
  try {
    whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
  if (whole.includes("\0")) return null;
  const mark = whole.startsWith(BOM) ? BOM : "";
  const body = whole.slice(mark.length);
  const isCrlf = body.includes("\r\n") && !/(?<!\r)\n/.test(body);
  const text = isCrlf ? body.replaceAll("\r\n", "\n") : body;
  const withEndings = (changed: string) => (isCrlf ? changed.replaceAll(/\r?\n/g, "\r\n") : changed);
  return { text, encoded: (changed) => Buffer.from(mark + withEndings(changed)) };
}
