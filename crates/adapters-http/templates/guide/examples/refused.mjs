const wrong = JSON.stringify({ location_country_code: "UK" });
await call("PUT", "/job-postings/acme-4711", wrong).catch((error) => console.log(error.message));
