// Deliveries of events, verified by the official library of Standard Webhooks.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { Webhook, WebhookVerificationError } from "standardwebhooks";

import { POSTING, serve, until } from "./service.js";

/** Keeps its deliveries, and answers 500 to the first attempt at each event. */
class Receiver {
  #got = [];
  #server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { headers } = request;
    const isFirst = !this.#got.some((one) => one.headers["webhook-id"] === headers["webhook-id"]);
    this.#got.push({ headers, body: Buffer.concat(parts).toString("utf8") });
    response.writeHead(isFirst ? 500 : 204).end();
  });

  async listen() {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${this.#server.address().port}/hooks`;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Both deliveries of an event about a posting: the one that failed, and the one after it. */
  both(type, identifier) {
    const isWanted = ({ type: of, data }) =>
      of === type && data.unique_source_identifier === identifier;
    return until(() => {
      const wanted = this.#got.filter(({ body }) => isWanted(JSON.parse(body)));
      return wanted.length === 2 && wanted;
    });
  }
}

let service;
const receiver = new Receiver();

before(async () => {
  service = await serve();
});

after(async () => {
  receiver.close();
  await service?.stop();
});

/** A function that calls the API with a token, and returns the answer's `data`. */
async function authorized() {
  const credentials = {
    grant_type: "client_credentials",
    client_id: service.clientId,
    client_secret: service.clientSecret,
  };
  const body = new URLSearchParams(credentials);
  const answer = await fetch(`${service.url}/oauth/token`, { method: "POST", body });
  const { access_token: token } = await answer.json();
  return async (method, path, value) => {
    const answer = await fetch(`${service.url}/api/job-board/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: value && JSON.stringify(value),
    });
    const text = await answer.text();
    assert(answer.ok, text);
    return JSON.parse(text).data;
  };
}

test("every delivery of a posting's life is verified, and a forged one is not", async () => {
  const call = await authorized();
  const url = await receiver.listen();
  const webhook = await call("POST", "webhooks", { url, include_posting: true });
  const libraries = [new Webhook(webhook.secret)];
  const identifier = `hooks-${randomUUID()}`;
  const push = (fields) => call("PUT", `job-postings/${identifier}`, fields);
  const verified = async (type) => {
    const [failed, again] = await receiver.both(type, identifier);
    assert.equal(failed.headers["webhook-id"], again.headers["webhook-id"]);
    for (const { body, headers } of [failed, again]) {
      for (const library of libraries) {
        assert.equal(library.verify(body, headers).type, type);
      }
    }
    return again;
  };

  await push(POSTING);
  await verified("JobPostingCreated");
  const approved = await verified("JobPostingApproved");
  const { title } = JSON.parse(approved.body).data.posting;
  assert.equal(title, POSTING.title);

  // From now on there are two signatures, and each of the secrets verifies one.
  const { secret } = await call("POST", `webhooks/${webhook.id}/rotate-secret`);
  libraries.push(new Webhook(secret));
  await push({ salary_min: 30_000, salary_currency_code: "EUR", salary_period: "annually" });
  await verified("JobPostingUpdated");
  await push({ expiration: { reason: "Found somebody" } });
  const { body, headers } = await verified("JobPostingExpired");

  const [, newest] = libraries;
  const isRefused = (body, changes, library = newest) =>
    assert.throws(() => library.verify(body, { ...headers, ...changes }), WebhookVerificationError);
  isRefused(body.replace("Expired", "Opened"), {});
  isRefused(body, { "webhook-id": "another" });
  isRefused(body, { "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 3600) });
  isRefused(body, {}, new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
  // One that was sent before the rotation.
  assert.throws(() => newest.verify(approved.body, approved.headers), WebhookVerificationError);
});
