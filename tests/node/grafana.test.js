// Checks the dashboard against Grafana's types.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const DASHBOARD = new URL("docs/deploy/grafana-dashboard.json", root());
const BUILD = new URL("build/grafana/", import.meta.url);
const { resolve } = createRequire(import.meta.url);
const COMPILER = resolve("typescript/bin/tsc");
// The types of the JSON model, which the package does not export.
const TYPES = resolve("@grafana/schema").replace(/dist\/.*/, "dist/types/raw/dashboard/x/types.gen");
const OPTIONS = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022"];
const MODULES = ["--module", "esnext", "--moduleResolution", "bundler"];

/** The folder of the project: `cargo xtask test` runs a copy of this file within. */
function root() {
  const above = ["../../", "../../../"].map((path) => new URL(path, import.meta.url));
  return above.find((folder) => existsSync(new URL("docs/deploy/", folder)));
}

/** What the compiler says of a dashboard, which it takes for a literal of Grafana's type. */
async function complaints(name, dashboard) {
  await mkdir(BUILD, { recursive: true });
  const file = fileURLToPath(new URL(name, BUILD));
  const source = `import type { Dashboard } from ${JSON.stringify(TYPES)};
export const dashboard: Dashboard = ${dashboard};
`;
  await writeFile(file, source);
  const compile = promisify(execFile)(process.execPath, [COMPILER, ...OPTIONS, ...MODULES, file]);
  return compile.then(() => "", ({ stdout }) => stdout);
}

test("the dashboard has Grafana's types", async () => {
  const dashboard = await readFile(DASHBOARD, "utf8");
  assert.equal(await complaints("dashboard.ts", dashboard), "");
  const misspelt = dashboard.replace('"gridPos"', '"gridPosition"');
  assert.match(await complaints("misspelt.ts", misspelt), /'"gridPosition"' does not exist/);
});
