import type { EmulatedFile } from "@hermes/emulator";
import { type Homeserver, stringIn } from "./homeserver.ts";
import { type Content, isObject } from "./wire.ts";

type Decrypt = (data: Buffer, info: Content) => Buffer | null;

/** The files of messages as people get them: from the server, and decrypted where the room is encrypted. */
export class ShownFiles {
  readonly #media: Homeserver["media"];
  readonly #decrypt: Decrypt;
  /** What was decrypted, by its address: it is looked at again and again. */
  readonly #clear = new Map<string, Buffer>();

  constructor(media: Homeserver["media"], decrypt: Decrypt) {
    this.#media = media;
    this.#decrypt = decrypt;
  }

  /** The file of a message; null where the server has none there, or nobody can read it. */
  of(content: Content): EmulatedFile | null {
    const sealed = isObject(content.file) ? content.file : null;
    const url = stringIn(sealed ?? content, "url") ?? "";
    const stored = this.#media.get(url.split("/").at(-1) ?? "");
    const bytes = stored && (sealed ? this.#decrypted(url, stored.content, sealed) : stored.content);
    if (!bytes) return null;
    const info = isObject(content.info) ? content.info : {};
    return {
      name: stringIn(content, "filename") ?? stringIn(content, "body") ?? "",
      mediaType: stringIn(info, "mimetype") ?? stored.mediaType,
      content: bytes,
      isPicture: content.msgtype === "m.image",
    };
  }

  #decrypted(url: string, data: Buffer, { url: _, ...info }: Content): Buffer | null {
    const bytes = this.#clear.get(url) ?? this.#decrypt(data, info);
    if (bytes) this.#clear.set(url, bytes);
    return bytes;
  }
}
