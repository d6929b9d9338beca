/** The most files of which a preview is kept. */
const MOST = 50;

const files = new Map<string, File>();

/** Keeps a picture that was uploaded, so that it can be seen until the server gives it back with its message. */
export function keepPreview(id: string, file: File): void {
  files.delete(id);
  files.set(id, file);
  const [oldest] = files.keys();
  if (files.size > MOST && oldest !== undefined) files.delete(oldest);
}

export function previewOf(id: string): File | null {
  return files.get(id) ?? null;
}
