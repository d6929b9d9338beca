import { closeSync, fstatSync, read } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../agent/agent.ts";
import { type FileRef, LARGEST_FILE } from "../base/file-ref.ts";
import { oneLine } from "../base/one-line.ts";
import { sizeText } from "../base/text.ts";
import { checkedPath, inFolderOf } from "./files/checked-path.ts";
import { JudgedFiles } from "./files/judged-files.ts";
import { mediaTypeOfName } from "./media-type-of-name.ts";
import { seenLine } from "./seen-line.ts";

const input = z.object({
  path: z.string().min(1).describe("Relative to the session's directory, or absolute"),
  caption: z.string().max(300).optional().describe("One line that stands below the file"),
});
type Input = z.output<typeof input>;

/** Keeps what is sent. */
export interface KeepsFiles {
  keep(content: Uint8Array, called: Pick<FileRef, "name" | "mediaType">): Promise<FileRef>;
}

const readPart = promisify(read);

/** Bytes that are read, and looked through for secrets, before others get their turn. */
const STEP = 1024 * 1024;

/** Bytes of the part before that are looked through again: a secret may be cut in two. */
const OVERLAP = 16 * 1024;

/** Sends a file below the session's directory to whoever reads what the turn says next. */
export class SendFileTool implements Tool<Input> {
  readonly name = "send_file";
  readonly description =
    "Sends a file (a document, a picture, an archive …) of up to 25 MB to the person, with what you say next. Text that you can say needs no file.";
  readonly input = input;
  readonly effect = "reads";
  readonly #files: KeepsFiles;
  readonly #holdsSecret: (text: string) => boolean;
  readonly #judged = new JudgedFiles<Input>();

  constructor(files: KeepsFiles, holdsSecret: (text: string) => boolean) {
    this.#files = files;
    this.#holdsSecret = holdsSecret;
  }

  summary({ path }: Input): string {
    return seenLine(path);
  }

  subjects(input: Input, where: ToolContext): readonly string[] {
    return [this.#judged.note(input, checkedPath(input.path, where))];
  }

  async run(input: Input, where: ToolContext): Promise<ToolResult> {
    const { path, caption = "" } = input;
    const place = checkedPath(path, where);
    this.#judged.check(input, place);
    const handle = inFolderOf(place, (folder, name) => folder.open(name));
    try {
      this.#judged.checkOpened(input, place, handle);
      const content = await this.#contentOf(handle, path, where.signal);
      const name = place.way.at(-1) ?? path;
      const kept = await this.#files.keep(content, { name, mediaType: mediaTypeOfName(name) });
      const said = oneLine(caption);
      const { visible } = where;
      const file = {
        ...{ ...kept, sentFrom: place.real, ...(said !== "" && { caption: said }) },
        ...(visible?.kind === "of-chat" && { sentIn: visible.chat }),
      };
      return { text: `${path} (${sizeText(kept.size)}) goes out with what you say next.`, files: [file] };
    } finally {
      closeSync(handle);
    }
  }

  async #contentOf(handle: number, path: string, signal: AbortSignal): Promise<Buffer> {
    const stats = fstatSync(handle);
    if (stats.isDirectory()) throw new Error(`${path} is a folder: send an archive of it.`);
    if (!stats.isFile()) throw new Error(`${path} is no ordinary file.`);
    if (stats.size === 0) throw new Error(`${path} is empty. It was not sent.`);
    if (stats.size > LARGEST_FILE) {
      throw new Error(`${path} has ${sizeText(stats.size)}; the most is ${sizeText(LARGEST_FILE)}. It was not sent.`);
    }
    const content = Buffer.alloc(stats.size);
    for (let at = 0; at < content.length; ) {
      signal.throwIfAborted();
      const { bytesRead } = await readPart(handle, content, at, Math.min(STEP, content.length - at), at);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read. It was not sent.`);
      // What is no text, or of two bytes a character, has its secrets in there too.
      const part = content.toString("utf8", Math.max(0, at - OVERLAP), at + bytesRead).replaceAll("\0", "");
      if (this.#holdsSecret(part)) {
        throw new Error(`${path} holds a secret of this Hermes, such as a token of its config. It was not sent.`);
      }
      at += bytesRead;
    }
    return content;
  }
}
