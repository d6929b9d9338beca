import { createHash } from "node:crypto";
import type { PluginDeps } from "@hermes/core";
import type { Files, Store } from "@hermes/core/embed";
import { AttachedFiles, DownloadSlots } from "@hermes/core/internal";

/** Reads the files of messages as Hermes does, but keeps none: they have the hash of what would be kept. */
export function readingFiles({ clock, logger }: Pick<PluginDeps, "clock" | "logger">): AttachedFiles {
  const store = { inbox: { said: async () => null } } as unknown as Store;
  const files: Files = {
    keep: async (content, { name, mediaType }) => ({
      ...{ hash: createHash("sha256").update(content).digest("hex"), name, mediaType, size: content.length },
    }),
    read: async () => null,
  };
  return new AttachedFiles(clock, store, logger, files, new DownloadSlots());
}
