import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, type Host } from "@hermes/core/embed";

/** A Hermes within this process, with a home of its own that is removed at the end. */
export interface ScratchHost extends AsyncDisposable {
  readonly host: Host;
  readonly folder: string;
}

export async function createScratchHost(): Promise<ScratchHost> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const environment = { HERMES_HOME: join(folder, "home"), HOME: folder };
    const host = await createHost({ role: "terminal", environment, workingDirectory: folder });
    return {
      host,
      folder,
      async [Symbol.asyncDispose]() {
        await host[Symbol.asyncDispose]();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
