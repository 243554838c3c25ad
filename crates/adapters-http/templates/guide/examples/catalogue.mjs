const lines = [{ id: "acme-4711", payload: posting }];
const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const imported = await call("PUT", "/catalogues/acme", body, "application/x-ndjson");
console.log(await imported.text());
