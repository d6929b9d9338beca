import { dirname } from "node:path";
import type { CheckedConfig } from "../../../config/check-config.ts";
import { placeOfConfig } from "../../../config/content.ts";
import { isTrustedFolder } from "../../../config/trusted-folders.ts";
import { namesOfWrittenSecrets } from "../../../config/written-secrets.ts";
import { type Check, type DoctorFinding, ofError, ok, warning } from "../check.ts";
import { envFileFindings } from "../env-file.ts";

export const configCheck: Check = {
  name: "config",
  title: "Config",
  async run({ checked, home }, signal) {
    if (checked === null) {
      const message = "The config was not read: the home is open to others, and a config is code.";
      return [warning(message, "Mend the home first, then run `hermes doctor` again.")];
    }
    const { path, warnings, envFile } = checked;
    // What is wrong with the modes of a .env is said where it is mended.
    const passedOver = warnings
      .filter(({ code }) => code !== "ENV_FILE_OPEN")
      .map((error) => ofError(error, "warning"));
    return [
      ...passedOver,
      ...problemsOf(checked),
      ...summary(checked, home),
      ...(path === null ? [] : writtenSecrets(path)),
      ...(envFile === null ? [] : await envFileFindings(envFile, signal)),
    ];
  },
};

/** What keeps single plugins from being used is said of those. */
function problemsOf({ config, problems }: CheckedConfig): DoctorFinding[] {
  const ofPlugins = new Set(config?.brokenPlugins.map(({ error }) => error) ?? []);
  return problems.filter((error) => !ofPlugins.has(error)).map((error) => ofError(error));
}

function summary({ path, config }: CheckedConfig, home: string): DoctorFinding[] {
  if (path === null && config !== null && config.plugins.length === 0) {
    return [warning("There is no config: the defaults are used.", "Run `hermes init` to write one.")];
  }
  if (path === null || config === null) return [];
  const isTrusted = isTrustedFolder(home, dirname(path));
  return [ok(`${path} is in order${isTrusted ? ", and its folder is trusted" : ""}.`)];
}

function writtenSecrets(path: string): DoctorFinding[] {
  const byFile = Map.groupBy(namesOfWrittenSecrets(placeOfConfig(path)), ({ file }) => file);
  return [...byFile].map(([file, secrets]) => {
    const names = [...new Set(secrets.map(({ name }) => name))].join(", ");
    const isCode = /\.[cm]?[jt]sx?$/.test(file);
    const instead = isCode ? "process.env.NAME" : `\${NAME}`;
    const hint = `Put it into the .env beside it as NAME=…, and write ${instead} in its place.`;
    return warning(`${file} contains a secret in plain text (${names}): anyone who gets the file has it.`, hint);
  });
}
