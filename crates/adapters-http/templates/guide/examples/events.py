def follow(after=None, wait=30):
    """All events from a cursor on. Keep the cursor where you keep what you make of them."""
    while True:
        page = http.get(f"{board}/api/job-board/events", timeout=60,
                        params={"after": after, "wait": wait, "limit": 1000}).json()
        for event in page["data"]:
            yield event
        after = page["next_cursor"]

for event in follow():
    print(event["type"], event["data"].get("unique_source_identifier"))
    break  # Yours goes on.
