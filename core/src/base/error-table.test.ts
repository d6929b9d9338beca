import { describe, expect, it } from "vitest";
import { asHermesError, HermesError } from "./errors.ts";

describe("the message of an error", () => {
  it.each([
    ["the wire is cut", "pager is not receiving: the wire is cut."],
    ["It is started again within 32 s.", "pager is not receiving: It is started again within 32 s."],
    ["did you mean status?", "pager is not receiving: did you mean status?"],
    ["and so on…", "pager is not receiving: and so on…"],
  ])("an error has one full stop though its last field is a sentence: %s", (detail, message) => {
    expect(new HermesError("HANDOFF_PLATFORM_UNHEALTHY", { platform: "pager", detail }).message).toBe(message);
  });

  it("an error keeps the full stop of a field in the middle of its sentence", () => {
    const fields = { file: "a.ts", key: "model", found: "etc.", wanted: "a name" };
    expect(new HermesError("CONFIG_INVALID", fields).message).toBe("a.ts: model is etc.; expected a name.");
  });
});

describe("a system error", () => {
  it.each([
    ["EROFS", "its file system is read-only"],
    ["EIO", "its disk reports an error"],
    ["EACCES", "you have no right to it"],
  ])("a file error names the file and says what %s means", (code, reason) => {
    const thrown = Object.assign(new Error(code), { code, path: "/srv/x", syscall: "open" });
    expect(asHermesError(thrown)).toMatchObject({ code: "FILE_FAILED", message: `/srv/x cannot be used: ${reason}.` });
  });

  it("a full disk has a sentence of its own, although a write does not name its file", () => {
    const full = (fields: object) => Object.assign(new Error("ENOSPC"), { code: "ENOSPC", ...fields });
    const said = (error: Error) => asHermesError(error).message;
    expect(said(full({ syscall: "write" }))).toBe("There is no room left on the disk for what was being written.");
    expect(said(full({ path: "/a", dest: "/b", syscall: "copyfile" }))).toBe(
      "There is no room left on the disk for /b.",
    );
    expect(asHermesError(full({ path: "/a", syscall: "watch" })).code).toBe("INTERNAL");
  });
});
