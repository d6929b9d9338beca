import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { WireFile } from "../../src/server/wire/thread.ts";
import { sentenceOf, uploadFile } from "../state/api.ts";
import { keepPreview, previewOf } from "../state/previews.ts";
import { CloseIcon } from "./icons.tsx";
import { Picture, Thumbnail } from "./picture.tsx";

const MOST_FILES = 10;

/** The files of a message: pictures are shown, others can be saved, and what the page does not keep is named. */
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
          <OneFile file={file} />
          {children?.(file)}
        </li>
      ))}
    </ul>
  );
}

function OneFile({ file }: { file: WireFile }) {
  const { id, name, path, picture, size } = file;
  if (path !== null && picture !== null) return <Picture file={file} path={path} />;
  const preview = path === null ? previewOf(id) : null;
  const named = (
    <>
      <bdi>{name}</bdi> <span class="size">{sizeText(size)}</span>
    </>
  );
  if (path !== null) {
    return (
      <a class="file" href={path} download={name}>
        {named}
      </a>
    );
  }
  return (
    <>
      {preview !== null && <Thumbnail file={preview} />}
      <span dir="auto">{named}</span>
    </>
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
        if (kept.mediaType.startsWith("image/")) keepPreview(kept.id, file);
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
