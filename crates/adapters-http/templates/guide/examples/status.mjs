const shown = (await (await call("GET", "/job-postings/acme-4711")).json()).data;
console.log(shown.status, shown.status_reason);
