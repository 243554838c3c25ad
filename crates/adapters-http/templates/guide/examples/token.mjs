const { BOARD, CLIENT_ID, CLIENT_SECRET } = process.env;
const answer = await fetch(`${BOARD}/oauth/token`, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
  }),
});
if (!answer.ok) throw new Error(await answer.text());
const authorization = `Bearer ${(await answer.json()).access_token}`;

async function call(method, path, body, type = "application/json") {
  const headers = { authorization, "content-type": type };
  const answer = await fetch(`${BOARD}/api/job-board${path}`, { method, headers, body });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
}
