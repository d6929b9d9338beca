import type { FilePart, TextPart } from "ai";
import type { FileRef } from "../base/file-ref.ts";
import { RecentMap } from "../base/recent-map.ts";
import type { Files } from "../files/files.ts";
import { fitForModel } from "../files/fit-for-model.ts";
import type { MediaResult } from "../files/media-job.ts";
import { isModelFileType } from "../files/media-type.ts";
import { mark } from "../model/mark.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { ModelFacts } from "./model-facts.ts";
import { limitsOf, mayReadFiles, type ProviderLimits } from "./model-files.ts";

/** How many of a person's last messages bring their files along; those of older ones are only named. */
const LAST_REQUESTS = 5;

/** Bytes of files that are kept in memory, ready for the next step of a turn. */
const MOST_READY = 64 * 1024 ** 2;

/** As many files are remembered that models were not given, since their providers refused them. */
const MOST_REFUSED = 1_000;

type Row = Pick<TranscriptMessage, "role" | "files">;

/** The parts that stand behind the text of a row. */
export type FilePartsOf<R> = ReadonlyMap<R, readonly (FilePart | TextPart)[]>;

/** Brings the files of a transcript before models, each made fit for the model that is asked. */
export class FileParts {
  readonly #files: Files;
  /** By the file and its limits, the latest last. */
  readonly #ready = new Map<string, MediaResult>();
  /** What the provider answered, by model and file. */
  readonly #refused = new RecentMap<string, string>(MOST_REFUSED);

  constructor(files: Files) {
    this.#files = files;
  }

  /**
   * The files of the last five messages of people, for a model that takes them; in the place of any other file a line that
   * says why it is not there. Where not all fit in a request, the older ones are left out. `refused`: those not to be sent,
   * by their hashes, and why.
   */
  async of<R extends Row>(
    rows: readonly R[],
    model: string,
    facts: ModelFacts,
    refused: ReadonlyMap<string, string> = new Map(),
  ): Promise<FilePartsOf<R>> {
    const requests = rows.filter(({ role }) => role === "user");
    const recent = new Set(requests.slice(-LAST_REQUESTS));
    const limits = limitsOf(model.split("/", 1)[0] ?? "");
    const parts = new Map<R, (FilePart | TextPart)[]>();
    let left: Left = { bytes: limits.allBytes, files: limits.files };
    for (const row of requests.toReversed()) {
      const ofRow: (FilePart | TextPart)[] = [];
      for (const file of row.files ?? []) {
        const refusal = refused.get(file.hash) ?? this.#refused.get(`${model} ${file.hash}`) ?? null;
        const why = recent.has(row)
          ? (whyNot(file, model, facts) ?? refusal)
          : "it came too long ago; ask for it if you need it";
        const { part, bytes } = await this.#part(file, why, left, limits);
        ofRow.push(...part);
        if (bytes > 0) left = { bytes: left.bytes - bytes, files: left.files - 1 };
      }
      if (ofRow.length > 0) parts.set(row, ofRow);
    }
    return parts;
  }

  /** Sends a model these files no more: by their hashes, and what its provider answered to them. */
  leaveOut(model: string, refused: ReadonlyMap<string, string>): void {
    for (const [hash, why] of refused) this.#refused.set(`${model} ${hash}`, why);
  }

  async #part(
    file: FileRef,
    why: string | null,
    left: Left,
    limits: ProviderLimits,
  ): Promise<{ readonly part: readonly (FilePart | TextPart)[]; readonly bytes: number }> {
    const unseen = (reason: string) => ({ part: [line(file, `is not shown to you: ${reason}`)], bytes: 0 });
    if (why !== null) return unseen(why);
    if (left.files === 0) return unseen("the request has too many files");
    const fit = await this.#fit(file, limits);
    if ("broken" in fit) return unseen(fit.broken);
    const { content, mediaType, pages = 0 } = fit;
    if (content.length > left.bytes) return unseen("the files of the request are too large together");
    const { pages: most } = limits.pdf;
    const cut = pages > most ? [line(file, `has ${pages} pages; only the first ${most} are shown to you`)] : [];
    return { part: [...cut, { type: "file", data: content, mediaType, filename: file.name }], bytes: content.length };
  }

  async #fit(file: FileRef, limits: ProviderLimits): Promise<MediaResult> {
    const key = JSON.stringify([file.hash, limits]);
    const ready = this.#ready.get(key);
    this.#ready.delete(key);
    const fit = ready ?? (await this.#read(file, limits));
    this.#ready.set(key, fit);
    this.#forget();
    return fit;
  }

  async #read(file: FileRef, limits: ProviderLimits): Promise<MediaResult> {
    if (!isModelFileType(file.mediaType)) return { broken: "it is neither a picture nor a PDF" };
    const content = await this.#files.read(file);
    return content === null ? { broken: "it is gone" } : fitForModel(content, file.mediaType, limits);
  }

  /** Forgets those that were used the longest ago. */
  #forget(): void {
    const sizeOf = (fit: MediaResult) => ("content" in fit ? fit.content.length : 0);
    let size = [...this.#ready.values()].reduce((sum, fit) => sum + sizeOf(fit), 0);
    for (const [key, fit] of this.#ready) {
      if (size <= MOST_READY) return;
      size -= sizeOf(fit);
      this.#ready.delete(key);
    }
  }
}

interface Left {
  readonly bytes: number;
  readonly files: number;
}

/** Why a model is not given a file; null where it takes it. */
function whyNot({ mediaType }: FileRef, model: string, { images, pdf }: ModelFacts): string | null {
  const isPdf = mediaType === "application/pdf";
  const isTaken = (isPdf ? pdf : images) ?? mayReadFiles(model);
  return isTaken ? null : `this model takes no ${isPdf ? "PDF files" : "pictures"}`;
}

function line({ name }: FileRef, what: string): TextPart {
  return { type: "text", text: mark(`${JSON.stringify(name)} ${what}`) };
}
