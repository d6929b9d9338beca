/** Decodes files in a thread of its own: it may take seconds, and what is broken ends this thread and nothing else. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { MediaJob, MediaResult, PictureJob } from "./media-job.ts";

const require = createRequire(import.meta.url);

/** The part of photon that is used: its own types are for another module system. */
interface Photon {
  readonly PhotonImage: { new_from_byteslice(bytes: Uint8Array): PhotonImage };
  readonly SamplingFilter: { readonly Triangle: number };
  resize(image: PhotonImage, width: number, height: number, filter: number): PhotonImage;
  rotate(image: PhotonImage, degrees: number): PhotonImage;
  fliph(image: PhotonImage): void;
  flipv(image: PhotonImage): void;
}

interface PhotonImage {
  get_width(): number;
  get_height(): number;
  get_bytes(): Uint8Array;
  get_bytes_jpeg(quality: number): Uint8Array;
}

type Qpdf = (options: { readonly wasmBinary: Uint8Array; readonly noInitialRun: true }) => Promise<{
  callMain(args: readonly string[]): number;
  readonly FS: { writeFile(path: string, content: Uint8Array): void; readFile(path: string): Uint8Array };
}>;

const JPEG_QUALITY = 85;

/** How much smaller a picture is made that has too many bytes still. */
const SMALLER = 0.7;

async function run(job: MediaJob): Promise<MediaResult> {
  return job.kind === "picture" ? fitPicture(job) : await cutPdf(job.content, job.mostPages);
}

function fitPicture({ content, width, height, orientation, limits }: PictureJob): MediaResult {
  const photon = require("@silvia-odwyer/photon-node") as Photon;
  const decoded = photon.PhotonImage.new_from_byteslice(content);
  if (decoded.get_width() !== width || decoded.get_height() !== height) return { broken: "its header is wrong" };
  const isTaken = limits.types.includes(limits.type) && content.length <= limits.bytes;
  if (isTaken && Math.max(width, height) <= limits.side) return { content, mediaType: limits.type };

  let side = limits.side;
  for (;;) {
    const scale = Math.min(1, side / Math.max(width, height));
    const [w, h] = [width, height].map((one) => Math.max(1, Math.round(one * scale))) as [number, number];
    const scaled = scale === 1 ? decoded : photon.resize(decoded, w, h, photon.SamplingFilter.Triangle);
    const turned = upright(photon, scaled, orientation);
    const png = limits.type === "image/jpeg" ? null : turned.get_bytes();
    if (png !== null && png.length <= limits.bytes) return { content: png, mediaType: "image/png" };
    const jpeg = turned.get_bytes_jpeg(JPEG_QUALITY);
    if (jpeg.length <= limits.bytes) return { content: jpeg, mediaType: "image/jpeg" };
    side = Math.floor(Math.max(w, h) * SMALLER);
    if (side < 16) return { broken: "it cannot be made small enough" };
  }
}

/** Turns a photo as its camera was held: what is made of it has no tag that says so. */
function upright(photon: Photon, image: PhotonImage, orientation: number): PhotonImage {
  const degrees = [0, 0, 0, 180, 0, 90, 90, 270, 270][orientation] ?? 0;
  const turned = degrees === 0 ? image : photon.rotate(image, degrees);
  if (orientation === 2 || orientation === 5 || orientation === 7) photon.fliph(turned);
  if (orientation === 4) photon.flipv(turned);
  return turned;
}

/** Counts the pages of a PDF, and leaves out those behind the first `most`. */
async function cutPdf(content: Uint8Array, most: number): Promise<MediaResult> {
  const said: string[] = [];
  const problems: string[] = [];
  // It writes there, whatever it is given to write with.
  console.log = (line: string) => void said.push(line);
  console.error = console.warn = (line: string) => void problems.push(line);
  const program = require.resolve("@neslinesli93/qpdf-wasm");
  const load = require(program) as Qpdf;
  const qpdf = await load({ wasmBinary: readFileSync(program.replace(/\.js$/, ".wasm")), noInitialRun: true });
  qpdf.FS.writeFile("/in.pdf", content);
  qpdf.callMain(["--show-npages", "/in.pdf"]);
  const pages = Number(said.at(-1));
  if (!Number.isSafeInteger(pages) || pages < 1) {
    return { broken: problems.some((line) => line.includes("password")) ? "it needs a password" : "it is broken" };
  }
  if (pages <= most) return { content, mediaType: "application/pdf", pages };
  qpdf.callMain(["/in.pdf", "--pages", ".", `1-${most}`, "--", "/out.pdf"]);
  return { content: qpdf.FS.readFile("/out.pdf"), mediaType: "application/pdf", pages };
}

parentPort?.postMessage(await run(workerData as MediaJob));
