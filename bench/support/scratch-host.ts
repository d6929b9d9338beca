import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, type Host, type HostOptions } from "@hermes/core/embed";

/** A Hermes within this process, with a home of its own that is removed at the end. */
export interface ScratchHost extends AsyncDisposable {
  readonly host: Host;
  readonly folder: string;
}

/** `config`: what its config holds; without it, there is no config. */
export async function createScratchHost({
  config,
  override,
}: { readonly config?: object } & Pick<HostOptions, "override"> = {}): Promise<ScratchHost> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const file = join(folder, "hermes.config.json");
    if (config !== undefined) writeFileSync(file, JSON.stringify(config));
    const named = config === undefined ? {} : { HERMES_CONFIG: file };
    const environment = { HERMES_HOME: join(folder, "home"), HOME: folder, ...named };
    const host = await createHost({
      ...{ role: "terminal", environment, workingDirectory: folder },
      ...(override === undefined ? {} : { override }),
    });
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
