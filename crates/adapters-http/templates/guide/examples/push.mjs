const posting = {
  title: "Baker",
  raw_description: "<p>You bake bread and rolls in our team, five nights a week.</p>",
  application_url: "https://bakery.example/jobs/4711",
  company: { name: "The Bakery", website_url: "https://bakery.example" },
};
const pushed = await call("PUT", "/job-postings/acme-4711", JSON.stringify(posting));
console.log(pushed.headers.get("posthaste-outcome"), (await pushed.json()).data.uuid);
