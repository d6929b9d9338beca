import { type Logger, readBody } from "@hermes/core";
import type { Api } from "grammy";
import type { Download } from "./attachments.ts";
import { toApiSignal } from "./bot-api.ts";
import { toPlatformError } from "./errors.ts";

/** A file that takes longer than this is only named, in milliseconds: it holds up the messages behind it. */
const PATIENCE_MS = 15_000;

/** Gets files from Telegram ("getFile"). The address of a file has the token in it, so no error of it is passed on. */
export function createDownload(
  api: Api,
  { token, apiRoot }: { readonly token: string; readonly apiRoot: string },
  logger: Logger,
): Download {
  return async (fileId) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      const { file_path: path } = await api.getFile(fileId, toApiSignal(signal));
      if (path === undefined) return null;
      const response = await fetch(`${apiRoot}/file/bot${token}/${path}`, { signal });
      return response.ok ? await readBody(response) : null;
    } catch (error) {
      logger.warn(
        { reason: toPlatformError(error).message },
        "a file could not be had from Telegram; it is only named",
      );
      return null;
    }
  };
}
