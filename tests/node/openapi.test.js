// What is generated from the OpenAPI document compiles, and works.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import openapiTypescript, { astToString } from "openapi-typescript";

import { serve } from "./service.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const BUILD = new URL("build/", import.meta.url);
const COMPILER = createRequire(import.meta.url).resolve("typescript/bin/tsc");

let service;

before(async () => {
  service = await serve();
});

after(async () => {
  await service?.stop();
});

/** Compiles the client with types from the service, and loads it. */
async function compiled() {
  await rm(BUILD, { recursive: true, force: true });
  await mkdir(BUILD);
  const types = await openapiTypescript(new URL(`${service.url}/api/openapi.json`));
  await writeFile(new URL("api.d.ts", BUILD), astToString(types));
  const compile = promisify(execFile)(process.execPath, [COMPILER, "--project", HERE]);
  await compile.catch(({ stdout }) => assert.fail(stdout));
  return import(new URL("client.js", BUILD));
}

test("a program with generated types pushes a posting and reads it", async () => {
  const { Board, POSTING, summary } = await compiled();
  const board = await Board.open(service.url, service.clientId, service.clientSecret);
  const identifier = `typed-${randomUUID()}`;
  assert.equal(await board.dryRun(identifier, POSTING), null);
  const id = await board.push(identifier, POSTING);
  assert.equal(await board.dryRun(identifier, { title: "Other" }), id);
  const misspelt = board.dryRun(identifier, { salary_mim: 1 });
  await assert.rejects(misspelt, /salary_mim: is not a known field; .* salary_min/);
  assert.equal(await board.push(identifier, {}), id);
  const posting = await board.read(identifier);
  assert.equal(posting.uuid, id);
  assert.equal(posting.unique_source_identifier, identifier);
  assert.equal(summary(posting), "Gardener; Rosenhof; 30000.00; full-time; PendingEnrichment");

  await assert.rejects(board.push(identifier, { salary_min: 1.5 }), /^Error: .*\nsalary_min: /);
  await assert.rejects(board.read("unknown"), /^Error: Job posting not found\.$/);
  const wrong = Board.open(service.url, service.clientId, "wrong");
  await assert.rejects(wrong, /wrong client secret/);
});
