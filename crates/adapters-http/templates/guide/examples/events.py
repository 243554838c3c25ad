def follow(after=None, wait=30):
    """All events from a cursor on. Store the cursor together with your results."""
    while True:
        page = http.get(f"{board}/api/job-board/events", timeout=60,
                        params={"after": after, "wait": wait, "limit": 1000}).json()
        for event in page["data"]:
            yield event
        after = page["next_cursor"]

for event in follow():
    print(event["type"], event["data"].get("unique_source_identifier"))
    break  # Remove in your program.
