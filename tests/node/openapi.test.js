// Code that is generated from the OpenAPI document compiles and works.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import openapiTypescript, { astToString } from "openapi-typescript";

import { POSTING, serve, until } from "./service.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const BUILD = new URL("build/", import.meta.url);
const COMPILER = createRequire(import.meta.url).resolve("typescript/bin/tsc");

let service;

before(async () => {
  await rm(BUILD, { recursive: true, force: true });
  await mkdir(BUILD);
  service = await serve();
});

after(async () => {
  await service?.stop();
});

/** Compiles the files of a project. */
async function compile(...project) {
  const run = promisify(execFile)(process.execPath, [COMPILER, ...project]);
  await run.catch(({ stdout }) => assert.fail(stdout));
}

/** Compiles the client with types from the service, and loads it. */
async function compiled() {
  const types = await openapiTypescript(new URL(`${service.url}/api/openapi.json`));
  await writeFile(new URL("api.d.ts", BUILD), astToString(types));
  await compile("--project", HERE);
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

test("JSON-LD is a JobPosting by the types of schema.org", async () => {
  const [place, pay] = [
    { location_country_code: "NO", location_city: "Oslo" },
    { salary_min: 20, salary_max: 30, salary_currency_code: "NOK", salary_period: "hourly" },
  ];
  const payloads = [
    POSTING,
    { ...POSTING, ...place, ...pay, employment_types: ["part-time", "contract", "internship"] },
    { ...POSTING, ...place, location_types: ["remote"] },
    { ...POSTING, ...place, salary_max: 9, salary_currency_code: "EUR", location_types: ["hybrid"] },
  ];
  const { url, clientId: client_id, clientSecret: client_secret } = service;
  const form = { grant_type: "client_credentials", client_id, client_secret };
  const body = new URLSearchParams(form);
  const answer = await fetch(`${url}/oauth/token`, { method: "POST", body });
  const headers = { Authorization: `Bearer ${(await answer.json()).access_token}` };
  const call = async (path, options) => {
    const answer = await fetch(`${url}/api/job-board${path}`, { headers, ...options });
    assert(answer.ok, await answer.clone().text());
    return answer.text();
  };
  for (const [at, payload] of payloads.entries()) {
    const body = JSON.stringify({ ...payload, title: `Gardener ${at}` });
    const typed = { ...headers, "Content-Type": "application/json" };
    await call(`/job-postings/ld-${at}`, { method: "PUT", headers: typed, body });
  }
  const jobs = await until(async () => {
    const lines = await Promise.all(
      ["hidden", "shown"].map((identity) => call(`/export?form=jsonld&identity=${identity}`)),
    );
    const jobs = lines.join("").trim().split("\n").map((line) => line && JSON.parse(line));
    return jobs.length >= 2 * payloads.length && jobs;
  });
  for (const job of jobs) {
    // The types know only this spelling.
    assert.equal(job["@context"], "https://schema.org/");
    job["@context"] = "https://schema.org";
  }
  const list = JSON.stringify(jobs, null, 2);
  const source = `import type { JobPosting, WithContext } from "schema-dts";
export const jobs: WithContext<JobPosting>[] = ${list};
`;
  await writeFile(new URL("jobs.ts", BUILD), source);
  const strict = ["--strict", "--skipLibCheck", "--noEmit", "--module", "nodenext"];
  await compile(...strict, fileURLToPath(new URL("jobs.ts", BUILD)));
});
