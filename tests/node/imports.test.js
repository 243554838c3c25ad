// Imports by a client that sends a body while it makes it.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { POSTING, serve } from "./service.js";

const LINES = 3_000;

let service;

before(async () => {
  service = await serve();
});

after(async () => {
  await service?.stop();
});

async function token() {
  const credentials = {
    grant_type: "client_credentials",
    client_id: service.clientId,
    client_secret: service.clientSecret,
  };
  const body = new URLSearchParams(credentials);
  const answer = await fetch(`${service.url}/oauth/token`, { method: "POST", body });
  assert.equal(answer.status, 200);
  return (await answer.json()).access_token;
}

test("a stream is an import", async () => {
  const prefix = randomUUID();
  async function* lines() {
    for (let number = 0; number < LINES; number += 1) {
      const line = { id: `${prefix}-${number}`, payload: { ...POSTING, title: `Job ${number}` } };
      yield new TextEncoder().encode(`${JSON.stringify(line)}\n`);
    }
  }
  const send = async () => {
    const answer = await fetch(`${service.url}/api/job-board/imports`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${await token()}`,
        "Content-Type": "application/x-ndjson",
      },
      body: ReadableStream.from(lines()),
      duplex: "half",
    });
    assert.equal(answer.status, 200);
    const { summary } = JSON.parse(await answer.text());
    assert.equal(summary.complete, true);
    return summary;
  };
  assert.equal((await send()).created, LINES);
  assert.equal((await send()).unchanged, LINES);
});
