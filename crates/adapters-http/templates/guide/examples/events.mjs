// Store the cursor together with your results.
async function* follow(after, wait = 30) {
  for (;;) {
    const query = new URLSearchParams({ wait, limit: 1000, ...(after && { after }) });
    const page = await (await call("GET", `/events?${query}`)).json();
    yield* page.data;
    after = page.next_cursor;
  }
}

for await (const event of follow()) {
  console.log(event.type, event.data.unique_source_identifier);
  break; // Remove in your program.
}
