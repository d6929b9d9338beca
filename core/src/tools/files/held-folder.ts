import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { join } from "node:path";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Linux lets a path begin at an open handle; other systems do not, or not from Node. */
const HAS_HANDLE_PATHS = existsSync("/proc/self/fd");

/**
 * A folder that is held open, so that what is opened in it is in this very folder, whatever is done to its path meanwhile.
 * No link is followed. Without Linux' /proc, paths are compared before and after instead: who swaps a folder for a link
 * and back again in between, within microseconds, is not noticed there.
 */
export class HeldFolder implements Disposable {
  readonly #handle: number;
  readonly #path: string;

  private constructor(handle: number, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Opens the folder at `path`, whose last part must not be a link. */
  static open(path: string): HeldFolder {
    return new HeldFolder(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path);
  }

  /** A path to the folder itself, valid while it is held. */
  get path(): string {
    return HAS_HANDLE_PATHS ? `/proc/self/fd/${this.#handle}` : this.#path;
  }

  /** A path to what is called `name` in the folder. For calls that follow no link, such as rename and lstat. */
  child(name: string): string {
    return join(this.path, name);
  }

  /** Opens a folder in this one; makes it first where `isMade` and it is missing. */
  folder(name: string, { isMade = false }: { readonly isMade?: boolean } = {}): HeldFolder {
    if (isMade && !existsSync(this.child(name))) mkdirSync(this.child(name));
    const path = join(this.#path, name);
    const handle = openSync(this.child(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new HeldFolder(this.#checked(handle, path), path);
  }

  /** Opens what is called `name`, without waiting for a pipe's other end. The caller closes the handle. */
  open(name: string, flags: number = O_RDONLY, mode?: number): number {
    const handle = openSync(this.child(name), flags | O_NOFOLLOW | O_NONBLOCK, mode);
    return this.#checked(handle, join(this.#path, name));
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }

  #checked(handle: number, path: string): number {
    if (HAS_HANDLE_PATHS) return handle;
    const [opened, there] = [fstatSync(handle), lstatSync(path)];
    if (realpathSync.native(path) === path && opened.ino === there.ino && opened.dev === there.dev) return handle;
    closeSync(handle);
    throw Object.assign(new Error("a folder on its way was replaced"), { code: "ELOOP" });
  }
}
