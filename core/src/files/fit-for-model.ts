import { Worker } from "node:worker_threads";
import { Slots } from "../base/slots.ts";
import type { MediaJob, MediaResult, PictureLimits } from "./media-job.ts";
import type { ModelFileType } from "./media-type.ts";
import { type PictureType, readPictureHeader } from "./picture-header.ts";

/** The limits of a model's provider for one file. */
export interface FileLimits {
  readonly picture: PictureLimits;
  readonly pdf: { readonly pages: number; readonly bytes: number };
}

/**
 * The most pixels that are decoded: 50 million are 200 MB of memory. A picture of a few kilobytes may say that it has a
 * billion.
 */
const MOST_PIXELS = 50_000_000;

/** Milliseconds for one file. */
const PATIENCE_MS = 20_000;

/** Decoding takes much memory, so one file after the other. */
const slots = new Slots(1);

/**
 * Makes a picture or PDF fit for a model: scales what is too large, cuts a PDF by pages, and tells what is broken, which a
 * provider would refuse together with all else that is asked. Holds nobody up meanwhile: it is done in another thread.
 */
export async function fitForModel(
  content: Uint8Array,
  type: ModelFileType,
  { picture, pdf }: FileLimits,
): Promise<MediaResult> {
  if (type !== "application/pdf") return fitPicture(content, type, picture);
  const cut = await slots.run(() => inThread({ kind: "pdf", content, mostPages: pdf.pages }));
  return "content" in cut && cut.content.length > pdf.bytes ? { broken: "it is too large for this model" } : cut;
}

async function fitPicture(content: Uint8Array, type: PictureType, limits: PictureLimits): Promise<MediaResult> {
  const header = readPictureHeader(content, type);
  if (header === null) return { broken: "it is broken" };
  if (header.width * header.height > MOST_PIXELS) {
    return { broken: `${header.width} × ${header.height} pixels are too many` };
  }
  return slots.run(() => inThread({ kind: "picture", content, ...header, limits: { ...limits, type } }));
}

/** Runs a job in a thread of its own, which ends with it. */
function inThread(job: MediaJob): Promise<MediaResult> {
  const source = import.meta.url.endsWith(".ts") ? "./media-worker.ts" : "./media-worker.js";
  const worker = new Worker(new URL(source, import.meta.url), {
    workerData: job,
    // It must not write where a person reads.
    ...{ stdout: true, stderr: true, env: {}, execArgv: [] },
  });
  return new Promise<MediaResult>((resolve) => {
    const timer = setTimeout(() => resolve({ broken: "reading it takes too long" }), PATIENCE_MS);
    worker.once("message", resolve);
    // A decoder that meets broken content gives up its thread.
    worker.once("error", () => resolve({ broken: "it is broken" }));
    worker.once("exit", () => {
      clearTimeout(timer);
      resolve({ broken: "it is broken" });
    });
  }).finally(() => void worker.terminate());
}
