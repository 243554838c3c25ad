// One posting alone: Accept: application/ld+json, application/json;q=0.5
const jobs = await (await call("GET", "/export?form=jsonld")).text();
console.log(jobs.split("\n").length - 1, "jobs for search engines");
