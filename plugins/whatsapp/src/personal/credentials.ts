import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { type AuthenticationCreds, type AuthenticationState, BufferJSON, initAuthCreds } from "@whiskeysockets/baileys";
import { readOwnFile, writeOwnFile } from "../own-file.ts";
import { KeyStore } from "./key-store.ts";

/** Says in which folder the credentials of the linked device lie. */
const POINTER = "linked.json";

/** In that folder: who the device is, and the keys of its sessions. */
const IDENTITY = "creds.json";
const KEYS = "keys.jsonl";

/**
 * What makes this a linked device: whoever has it reads and writes as the account. Each time that a device is linked it
 * gets a folder of its own, and a file beside them says which one counts: a gateway that still runs on the ones before
 * goes on writing to those.
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

  /** Those of the linked device; null when none is linked. Throws when they cannot be read. */
  static open(pluginFolder: string): Credentials | null {
    const name = linkedFolder(pluginFolder);
    return name === null ? null : new Credentials(pluginFolder, name, readIdentity(join(pluginFolder, name, IDENTITY)));
  }

  /** New ones, for a device that is to be linked; they count once they are adopted. */
  static begin(pluginFolder: string): Credentials {
    // Under a name of its own, in case two devices are linked at once; and only its owner may look into it.
    const folder = mkdtempSync(join(pluginFolder, "session-"));
    return new Credentials(pluginFolder, basename(folder), initAuthCreds());
  }

  save(): void {
    writeOwnFile(join(this.#folder, IDENTITY), JSON.stringify(this.state.creds, BufferJSON.replacer));
  }

  /** They are those of the linked device from now on. The ones before stay where they are. */
  adopt(): void {
    writeOwnFile(join(this.#pluginFolder, POINTER), JSON.stringify({ folder: this.#name }));
  }

  /** WhatsApp does not accept them any more: they are kept, and nobody uses them. */
  putAside(): void {
    if (linkedFolder(this.#pluginFolder) === this.#name) rmSync(join(this.#pluginFolder, POINTER));
  }

  /** Nothing came of them. */
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
    return JSON.parse(readOwnFile(path) ?? "", BufferJSON.reviver) as AuthenticationCreds;
  } catch (cause) {
    throw new Error(`the credentials in ${path} cannot be read; run \`hermes whatsapp link\` to link the device anew`, {
      cause,
    });
  }
}

function linkedFolder(pluginFolder: string): string | null {
  const name = readPointer(join(pluginFolder, POINTER));
  return name !== null && existsSync(join(pluginFolder, name, IDENTITY)) ? name : null;
}

/** One that cannot be read points nowhere. */
function readPointer(path: string): string | null {
  const written = readOwnFile(path);
  try {
    const { folder } = JSON.parse(written ?? "null") as { readonly folder?: unknown };
    return typeof folder === "string" ? folder : null;
  } catch {
    return null;
  }
}
