import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AuthenticationCreds, type AuthenticationState, BufferJSON, initAuthCreds } from "@whiskeysockets/baileys";
import { readOwnFile, writeOwnFile } from "../own-file.ts";
import { KeyStore } from "./key-store.ts";

/** Where the credentials of the linked device lie, in the plugin's folder. */
const LINKED = "session";
/** Where they lie until the device is linked. */
const LINKING = "session.linking";

/** What makes this a linked device: whoever has it reads and writes as the account. */
export class Credentials {
  readonly #folder: string;
  readonly #keys: KeyStore;
  readonly state: AuthenticationState;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#keys = new KeyStore(join(folder, "keys.jsonl"));
    const written = readOwnFile(join(folder, "creds.json"));
    const creds: AuthenticationCreds = written === null ? initAuthCreds() : JSON.parse(written, BufferJSON.reviver);
    this.state = { creds, keys: this.#keys };
  }

  /** Whether a device is linked. */
  static areThere(pluginFolder: string): boolean {
    return existsSync(join(pluginFolder, LINKED, "creds.json"));
  }

  /** Those of the linked device. */
  static open(pluginFolder: string): Credentials {
    return new Credentials(join(pluginFolder, LINKED));
  }

  /** New ones, for a device that is to be linked; `adopt` makes them those of the linked device. */
  static begin(pluginFolder: string): Credentials {
    const folder = join(pluginFolder, LINKING);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new Credentials(folder);
  }

  /** What `begin` began is linked now. Those that were there before are kept aside. */
  static adopt(pluginFolder: string, now: number): void {
    if (Credentials.areThere(pluginFolder)) Credentials.putAside(pluginFolder, now);
    renameSync(join(pluginFolder, LINKING), join(pluginFolder, LINKED));
  }

  /** WhatsApp does not accept them any more; they are kept, and nobody uses them. Returns where. */
  static putAside(pluginFolder: string, now: number): string {
    const aside = join(pluginFolder, `${LINKED}.logged-out-${now}`);
    renameSync(join(pluginFolder, LINKED), aside);
    return aside;
  }

  save(): void {
    writeOwnFile(join(this.#folder, "creds.json"), JSON.stringify(this.state.creds, BufferJSON.replacer));
  }

  close(): void {
    this.#keys.close();
  }
}
