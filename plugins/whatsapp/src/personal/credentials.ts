import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AuthenticationCreds, type AuthenticationState, BufferJSON, initAuthCreds } from "@whiskeysockets/baileys";
import { readOwnFile, writeOwnFile } from "../own-file.ts";
import { KeyStore } from "./key-store.ts";

/** Says in which folder the credentials of the linked device lie. */
const POINTER = "linked.json";

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

  private constructor(pluginFolder: string, name: string) {
    this.#pluginFolder = pluginFolder;
    this.#name = name;
    this.#keys = new KeyStore(join(this.#folder, "keys.jsonl"));
    const written = readOwnFile(join(this.#folder, "creds.json"));
    const creds: AuthenticationCreds = written === null ? initAuthCreds() : JSON.parse(written, BufferJSON.reviver);
    this.state = { creds, keys: this.#keys };
  }

  /** Whether a device is linked. */
  static areThere(pluginFolder: string): boolean {
    return linkedFolder(pluginFolder) !== null;
  }

  /** Those of the linked device; null when none is linked. */
  static open(pluginFolder: string): Credentials | null {
    const name = linkedFolder(pluginFolder);
    return name === null ? null : new Credentials(pluginFolder, name);
  }

  /** New ones, for a device that is to be linked; they count once they are adopted. */
  static begin(pluginFolder: string, now: number): Credentials {
    const name = `session-${now}`;
    mkdirSync(join(pluginFolder, name), { mode: 0o700 });
    return new Credentials(pluginFolder, name);
  }

  save(): void {
    writeOwnFile(join(this.#folder, "creds.json"), JSON.stringify(this.state.creds, BufferJSON.replacer));
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

function linkedFolder(pluginFolder: string): string | null {
  const written = readOwnFile(join(pluginFolder, POINTER));
  if (written === null) return null;
  const { folder } = JSON.parse(written) as { readonly folder?: unknown };
  return typeof folder === "string" ? folder : null;
}
