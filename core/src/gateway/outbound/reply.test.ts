import { describe, expect, test } from "vitest";
import { ERROR_TABLE, type ErrorCode, type ErrorFields } from "../../base/error-table.ts";
import { HermesError, PlatformError } from "../../base/errors.ts";
import { errorText } from "./reply.ts";

const PERSON = { typed: (command: string) => `/${command}`, isOperator: false };
const OPERATOR = { ...PERSON, isOperator: true };
const BANG = { ...PERSON, typed: (command: string) => `!${command}` };

describe("the text of an error in a chat", () => {
  test("names commands as they are typed there", () => {
    const unknown = new HermesError("COMMAND_MISTYPED", { name: "hlep", meant: "help" });
    expect(errorText(unknown, PERSON)).toBe("There is no command /hlep. Did you mean /help? /help lists them all.");
    expect(errorText(unknown, BANG)).toBe("There is no command !hlep. Did you mean !help? !help lists them all.");
    const hint = "Write /sethome, or `/invite @hermes`, as in a/new";
    const forbidden = new PlatformError("PLATFORM_FORBIDDEN", { platform: "x", reason: "it is /new here", hint });
    expect(errorText(forbidden, BANG)).toBe(
      "x does not permit it: it is /new here. Write !sethome, or `/invite @hermes`, as in a/new",
    );
  });

  test("names a command rather than the shell, to an operator too", () => {
    const unknown = new HermesError("SESSION_UNKNOWN", { reference: "plan" });
    for (const reader of [PERSON, OPERATOR]) {
      expect(errorText(unknown, reader)).toBe("There is no session plan. /sessions lists them.");
    }
  });

  test("sends people to the operator for what takes the shell, the config or the log", () => {
    const missing = new HermesError("CONFIG_HOME_CHANNEL_MISSING", { platform: "x" });
    expect(errorText(missing, PERSON)).toBe("x has no home channel. Ask the operator of this Hermes.");
    expect(errorText(missing, OPERATOR)).toContain("in the config");
  });

  test.each(Object.keys(ERROR_TABLE) as ErrorCode[])("%s tells nobody in a chat to run a shell command", (code) => {
    const text = errorText(new HermesError<ErrorCode>(code, {} as ErrorFields<ErrorCode>), PERSON);
    expect(text.slice(ERROR_TABLE[code].sentence.length)).not.toMatch(/`hermes |config|environment|\blog\b|npm /);
  });
});
