import { useEffect, useRef, useState } from "preact/hooks";
import type { WireFile } from "../../src/server/wire/thread.ts";
import { CloseIcon } from "./icons.tsx";

/** A picture of a message; a click opens it as large as the window. */
export function Picture({ file, path }: { file: WireFile; path: string }) {
  const { name, picture } = file;
  const [isBroken, setIsBroken] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (isBroken) {
    return (
      <span class="gone">
        <bdi>{name}</bdi> cannot be shown: it is not kept here any more.
      </span>
    );
  }
  return (
    <>
      <button type="button" class="picture" aria-label={`Picture: ${name}. Open it`} onClick={() => setIsOpen(true)}>
        <img
          src={path}
          alt=""
          loading="lazy"
          width={picture?.width}
          height={picture?.height}
          onError={() => setIsBroken(true)}
        />
      </button>
      {isOpen && (
        // Escape closes it, and the focus goes back to where it was opened.
        <dialog ref={dialog} class="large-picture" aria-label={`Picture: ${name}`} onClose={() => setIsOpen(false)}>
          <form method="dialog">
            <p class="name" dir="auto">
              {name}
            </p>
            <a class="button" href={path} download={name}>
              Save
            </a>
            <button type="submit" class="reply" aria-label="Close">
              <CloseIcon />
            </button>
          </form>
          <img src={path} alt={name} />
        </dialog>
      )}
    </>
  );
}

/** The longest side of a thumbnail, in CSS pixels. */
const THUMBNAIL = 96;

/** A picture of this machine that is not on the page's server yet. It is drawn, so that nothing has to be loaded. */
export function Thumbnail({ file }: { file: File }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isPicture, setIsPicture] = useState(true);
  useEffect(() => {
    let isOver = false;
    const draw = async () => {
      const bitmap = await createImageBitmap(file);
      const element = canvas.current;
      const scale = Math.min(1, (THUMBNAIL * devicePixelRatio) / Math.max(bitmap.width, bitmap.height));
      if (!isOver && element) {
        element.width = Math.max(1, Math.round(bitmap.width * scale));
        element.height = Math.max(1, Math.round(bitmap.height * scale));
        element.getContext("2d")?.drawImage(bitmap, 0, 0, element.width, element.height);
      }
      bitmap.close();
    };
    draw().catch(() => setIsPicture(false));
    return () => {
      isOver = true;
    };
  }, [file]);
  return isPicture ? <canvas ref={canvas} class="thumbnail" role="img" aria-label={`Picture: ${file.name}`} /> : null;
}
