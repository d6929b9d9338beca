import { describe, expect, it } from "vitest";
import { judge, RpcRefusal, sendAnswer, toPlatformError } from "./errors.ts";

const result = (type: string, more: object = {}) => ({ recipientAddress: { uuid: "u", number: null }, type, ...more });
const IS_SEND = { mayBeDone: true };

describe("what a send answers of its recipients", () => {
  it("a send that reached nobody fails even if the call succeeded", () => {
    const answer = sendAnswer({ timestamp: 1, results: [result("UNREGISTERED_FAILURE"), result("NETWORK_FAILURE")] });
    expect(() => judge(answer, IS_SEND)).toThrow("connection of signal-cli to Signal failed");
  });

  it("a send that may have reached somebody is uncertain, whatever kept it from others", () => {
    const lost = result("NETWORK_FAILURE");
    for (const type of ["RATE_LIMIT_FAILURE", "IDENTITY_FAILURE", "UNREGISTERED_FAILURE"]) {
      const answer = sendAnswer({ results: [result(type), lost] });
      expect(() => judge(answer, IS_SEND)).toThrow(expect.objectContaining({ code: "PLATFORM_UNCERTAIN" }));
    }
    // A sign that somebody writes is shown again, and harms nobody.
    const isRetried = expect.objectContaining({ code: "PLATFORM_UNAVAILABLE" });
    expect(() => judge(sendAnswer({ results: [lost] }), { mayBeDone: false })).toThrow(isRetried);
  });

  it("a send that reached only some reports what kept it from the others", () => {
    const answer = sendAnswer({ timestamp: 1, results: [result("SUCCESS"), result("IDENTITY_FAILURE")] });
    expect(judge(answer, IS_SEND)).toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  });

  it("asks for a captcha if any recipient has a challenge, else reports a rate limit", () => {
    const limited = result("RATE_LIMIT_FAILURE", { retryAfterSeconds: 7 });
    expect(() => judge(sendAnswer({ results: [limited] }), IS_SEND)).toThrow("asks Hermes to wait 7 s");
    const proof = result("RATE_LIMIT_FAILURE", { token: "challenge", retryAfterSeconds: 86_400 });
    expect(() => judge(sendAnswer({ results: [limited, proof] }), IS_SEND)).toThrow("captcha");
  });

  it("a send without recipients, as in notes to oneself, succeeds", () => {
    expect(judge(sendAnswer({ timestamp: 1, results: [] }), IS_SEND)).toBeNull();
  });
});

describe("a connection of signal-cli's that failed", () => {
  it.each([
    [-3, "timeout (SocketTimeoutException)"],
    [-3, "Connection reset (SocketException)"],
    [-32603, "java.net.SocketTimeoutException: timeout (PushNetworkException) (UnexpectedErrorException)"],
    [-1, "unexpected end of stream (IOException)"],
  ])("a send that broke with %i, %s is not sent twice", (code, words) => {
    const refusal = new RpcRefusal(code, `Failed to send message: ${words}`);
    expect(toPlatformError(refusal, { mayBeDone: true })).toMatchObject({ code: "PLATFORM_UNCERTAIN" });
    expect(toPlatformError(refusal)).toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  });

  it.each([
    [-3, "Failed to connect to chat.signal.org/13.248.212.111:443 (ConnectException)"],
    [-3, "java.net.UnknownHostException: chat.signal.org: Name or service not known (PushNetworkException)"],
    [-3, "No route to host (NoRouteToHostException)"],
    [-3, "java.net.SocketTimeoutException: Connect timed out (PushNetworkException)"],
    [-32603, "chat.signal.org (UnknownHostException) (UnexpectedErrorException)"],
    [-32603, "No connection! (IOException) (UnexpectedErrorException)"],
  ])("a send that never got through, with %i, %s, is sent again", (code, words) => {
    const refusal = new RpcRefusal(code, `Failed to send message: ${words}`);
    expect(toPlatformError(refusal, { mayBeDone: true })).toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  });
});
