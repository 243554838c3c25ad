// A button on each example that copies it.
for (const example of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = example.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without https there is no clipboard.
      getSelection().selectAllChildren(example);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  example.before(button);
}
