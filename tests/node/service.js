// A served instance of the program under test, and a client of it.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const SCOPES = ["job-postings:write", "job-postings:read", "webhooks:manage"];

/** A payload that creates a posting. */
export const POSTING = {
  title: "Gardener",
  raw_description: "<p>We are looking for a gardener who knows roses and hedges.</p>",
  application_url: "https://apply.example/gardener",
  company: { name: "Rosenhof", website_url: "https://rosenhof.example" },
};

/**
 * Runs the program named by POSTHASTE_BIN on a free port, with a new data folder. Returns its URL,
 * the credentials of a client, and how to stop it.
 */
export async function serve() {
  assert(process.env.POSTHASTE_BIN, "POSTHASTE_BIN must name the program");
  const program = path.resolve(process.env.POSTHASTE_BIN);
  const folder = await mkdtemp(path.join(tmpdir(), "posthaste-"));
  const [port, adminPort] = await freePorts();
  const url = `http://127.0.0.1:${port}`;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("POSTHASTE_") && !["DATABASE_URL", "RUST_LOG"].includes(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    POSTHASTE_DATA_DIR: path.join(folder, "data"),
    POSTHASTE_BIND: `127.0.0.1:${port}`,
    POSTHASTE_ADMIN_BIND: `127.0.0.1:${adminPort}`,
    // The receivers are on this machine.
    POSTHASTE_WEBHOOK_PRIVATE: "allow",
    POSTHASTE_WEBHOOK_RETRY_SECONDS: "1,1,1,1",
  };
  const log = path.join(folder, "server.log");
  const output = openSync(log, "w");
  const options = { env, cwd: folder };
  const server = spawn(program, ["serve"], { ...options, stdio: ["ignore", output, output] });
  const ended = once(server, "exit");
  const stop = async () => {
    assert.equal(server.exitCode, null, `it ended by itself:\n${readFileSync(log)}`);
    server.kill();
    const [status] = await ended;
    const text = readFileSync(log, "utf8");
    assert.equal(status, 0, text);
    assert(!text.includes("panicked"), text);
    await rm(folder, { recursive: true });
  };
  try {
    await until(() => {
      assert.equal(server.exitCode, null, `it does not start:\n${readFileSync(log)}`);
      return fetch(`${url}/readyz`).then((answer) => answer.ok, () => false);
    });
    const { stdout } = await promisify(execFile)(
      program,
      ["clients", "create", "--name", "checks", "--json"].concat(
        SCOPES.flatMap((scope) => ["--scope", scope]),
      ),
      options,
    );
    const { client_id: clientId, client_secret: clientSecret } = JSON.parse(stdout);
    return { url, clientId, clientSecret, stop };
  } catch (error) {
    server.kill("SIGKILL");
    throw error;
  }
}

/** Waits until a question is answered with something true, and returns that. */
export async function until(question) {
  const end = Date.now() + 180_000;
  while (Date.now() < end) {
    const answer = await question();
    if (answer) return answer;
    await sleep(50);
  }
  assert.fail(`not within 3 minutes: ${question}`);
}

async function freePorts() {
  // Both listeners exist at the same time, or the ports might be equal.
  const listeners = [createServer(), createServer()];
  for (const listener of listeners) await once(listener.listen(0, "127.0.0.1"), "listening");
  const ports = listeners.map((listener) => listener.address().port);
  for (const listener of listeners) await once(listener.close(), "close");
  return ports;
}
