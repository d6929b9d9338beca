import { describe, expect, it } from "vitest";
import { judge, sendAnswer } from "./errors.ts";

const result = (type: string, more: object = {}) => ({ recipientAddress: { uuid: "u", number: null }, type, ...more });

describe("what a send answers of its recipients", () => {
  it("a send that reached nobody fails even if the call succeeded", () => {
    const answer = sendAnswer({ timestamp: 1, results: [result("UNREGISTERED_FAILURE"), result("NETWORK_FAILURE")] });
    expect(() => judge(answer)).toThrow("no connection to Signal");
  });

  it("a send that reached only some reports what kept it from the others", () => {
    const answer = sendAnswer({ timestamp: 1, results: [result("SUCCESS"), result("IDENTITY_FAILURE")] });
    expect(judge(answer)).toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  });

  it("asks for a captcha if any recipient has a challenge, else reports a rate limit", () => {
    const limited = result("RATE_LIMIT_FAILURE", { retryAfterSeconds: 7 });
    expect(() => judge(sendAnswer({ results: [limited] }))).toThrow("asks Hermes to wait 7 s");
    const proof = result("RATE_LIMIT_FAILURE", { token: "challenge", retryAfterSeconds: 86_400 });
    expect(() => judge(sendAnswer({ results: [limited, proof] }))).toThrow("captcha");
  });

  it("a send without recipients, as in notes to oneself, succeeds", () => {
    expect(judge(sendAnswer({ timestamp: 1, results: [] }))).toBeNull();
  });
});
