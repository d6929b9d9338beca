import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { readIfThere } from "../../base/kept-json.ts";
import { type Holder, systemProcessProbe, thisProcess } from "../../base/process-identity.ts";

/** Lets one process at a time change plugins, until it is disposed of. Throws PLUGINS_BUSY. */
export function lockPlugins(home: string): Disposable {
  const file = join(home, "plugins.lock");
  const own = JSON.stringify(thisProcess("plugins", "terminal"));
  for (;;) {
    try {
      writeFileSync(file, own, { flag: "wx", mode: 0o600 });
      let isHeld = true;
      return {
        [Symbol.dispose]() {
          if (isHeld) rmSync(file, { force: true });
          isHeld = false;
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = holderIn(file);
    if (holder !== null && systemProcessProbe.fate(holder) !== "gone") {
      throw new HermesError("PLUGINS_BUSY", { pid: holder.pid });
    }
    // Its process was killed.
    rmSync(file, { force: true });
  }
}

function holderIn(file: string): Holder | null {
  try {
    return JSON.parse(readIfThere(file) ?? "") as Holder;
  } catch {
    return null;
  }
}
