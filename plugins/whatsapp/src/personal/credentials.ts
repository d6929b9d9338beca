import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { replaceFile } from "@hermes/core";
import { type AuthenticationCreds, type AuthenticationState, BufferJSON, initAuthCreds } from "@whiskeysockets/baileys";
import { KeyStore } from "./key-store.ts";
import { IDENTITY, linkedFolder, POINTER, pointerIn } from "./linked-folder.ts";

/** The file with the sessions' keys, in a device's folder. */
const KEYS = "keys.jsonl";

/**
 * The credentials of the linked device, which allow reading and writing as the account. Each linked device gets a
 * folder of its own, and a file beside the folders names the current one, so that a gateway that still runs with the
 * former credentials writes to the former folder.
 */
export class Credentials {
  readonly #pluginFolder: string;
  /** The name of their own folder. */
  readonly #name: string;
  readonly #keys: KeyStore;
  readonly state: AuthenticationState;

  private constructor(pluginFolder: string, name: string, creds: AuthenticationCreds) {
    this.#pluginFolder = pluginFolder;
    this.#name = name;
    this.#keys = new KeyStore(join(this.#folder, KEYS));
    this.state = { creds, keys: this.#keys };
  }

  /** Whether a device is linked. */
  static areThere(pluginFolder: string): boolean {
    return linkedFolder(pluginFolder) !== null;
  }

  /** The linked device's credentials; null if none is linked. Throws if they cannot be read. */
  static open(pluginFolder: string): Credentials | null {
    const name = linkedFolder(pluginFolder);
    return name === null ? null : new Credentials(pluginFolder, name, readIdentity(join(pluginFolder, name, IDENTITY)));
  }

  /** Creates credentials for a device that is to be linked; they take effect with `adopt`. */
  static begin(pluginFolder: string): Credentials {
    // A unique name, since two devices may be linked at once; readable by its owner only.
    const folder = mkdtempSync(join(pluginFolder, "session-"));
    return new Credentials(pluginFolder, basename(folder), initAuthCreds());
  }

  save(): void {
    const json = JSON.stringify(this.state.creds, BufferJSON.replacer);
    replaceFile(join(this.#folder, IDENTITY), json, { isDurable: true });
  }

  /** Makes them the linked device's. The former ones stay in their folder. */
  adopt(): void {
    pointerIn(this.#pluginFolder).write({ folder: this.#name });
  }

  /** Sets them aside, since WhatsApp does not accept them any more. */
  putAside(): void {
    if (linkedFolder(this.#pluginFolder) === this.#name) rmSync(join(this.#pluginFolder, POINTER));
  }

  /** Deletes them, since no device was linked. */
  discard(): void {
    this.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  close(): void {
    this.#keys.close();
  }

  get #folder(): string {
    return join(this.#pluginFolder, this.#name);
  }
}

function readIdentity(path: string): AuthenticationCreds {
  try {
    return JSON.parse(readFileSync(path, "utf8"), BufferJSON.reviver) as AuthenticationCreds;
  } catch (cause) {
    throw new Error(`the credentials in ${path} cannot be read; run \`hermes whatsapp link\` to link the device anew`, {
      cause,
    });
  }
}
