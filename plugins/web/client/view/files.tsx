import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { WireFile } from "../../src/server/wire.ts";
import { sentenceOf, uploadFile } from "../state/api.ts";
import { CloseIcon } from "./icons.tsx";

const MOST_FILES = 10;

/** The files of a message, by name. */
export function Files({
  files,
  children,
}: {
  files: readonly WireFile[];
  children?: (file: WireFile) => ComponentChildren;
}) {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label="Files">
      {files.map((file) => (
        <li key={file.id}>
          <span dir="auto">{file.name}</span> <span class="size">{sizeText(file.size)}</span>
          {children?.(file)}
        </li>
      ))}
    </ul>
  );
}

/** The files that are attached to what is being written, and what came of their upload. */
export function useAttachments() {
  const [files, setFiles] = useState<readonly WireFile[]>([]);
  const [uploading, setUploading] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);

  const attach = async (chosen: readonly File[]) => {
    setProblem(null);
    for (const file of chosen.slice(0, MOST_FILES)) {
      setUploading((count) => count + 1);
      try {
        const kept = await uploadFile(file);
        setFiles((known) => [...known.filter(({ id }) => id !== kept.id), kept].slice(0, MOST_FILES));
      } catch (error) {
        setProblem(`${file.name || "The file"}: ${sentenceOf(error)}`);
      } finally {
        setUploading((count) => count - 1);
      }
    }
  };
  const remove = (id: string) => setFiles((known) => known.filter((file) => file.id !== id));
  return { files, isUploading: uploading > 0, problem, attach, remove, clear: () => setFiles([]) };
}

export function Attachments({ files, isUploading, problem, remove }: ReturnType<typeof useAttachments>) {
  return (
    <div class="attachments" role="status">
      <Files files={files}>
        {({ id, name }) => (
          <button type="button" class="reply" aria-label={`Remove ${name}`} onClick={() => remove(id)}>
            <CloseIcon />
          </button>
        )}
      </Files>
      {isUploading && <p class="hint">Uploading…</p>}
      {problem !== null && <p class="refusal">{problem}</p>}
    </div>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
