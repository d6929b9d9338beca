import { describe, expect, it } from "vitest";
import { judge, sendAnswer } from "./send-results.ts";

const result = (type: string, more: object = {}) => ({ recipientAddress: { uuid: "u", number: null }, type, ...more });

describe("what a send answers of its recipients", () => {
  it("is an error where it reached none of them, though the call itself succeeded", () => {
    const answer = sendAnswer({ timestamp: 1, results: [result("UNREGISTERED_FAILURE"), result("NETWORK_FAILURE")] });
    expect(() => judge(answer)).toThrow("no connection to Signal");
  });

  it("is what kept it from some where it reached others", () => {
    const answer = sendAnswer({ timestamp: 1, results: [result("SUCCESS"), result("IDENTITY_FAILURE")] });
    expect(judge(answer)).toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  });

  it("asks for a captcha if any recipient has a challenge, else reports a rate limit", () => {
    const limited = result("RATE_LIMIT_FAILURE", { retryAfterSeconds: 7 });
    expect(() => judge(sendAnswer({ results: [limited] }))).toThrow("asks to wait 7 s");
    const proof = result("RATE_LIMIT_FAILURE", { token: "challenge", retryAfterSeconds: 86_400 });
    expect(() => judge(sendAnswer({ results: [limited, proof] }))).toThrow("captcha");
  });

  it("is success where there are no recipients to tell of, as in the notes to oneself", () => {
    expect(judge(sendAnswer({ timestamp: 1, results: [] }))).toBeNull();
  });
});
