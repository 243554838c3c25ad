// Receives webhooks of the board on port PORT, signed with SECRET (npm install standardwebhooks).
const http = require("node:http");
const { Webhook } = require("standardwebhooks");

const webhook = new Webhook(process.env.SECRET);
const seen = new Set();

http.createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    const event = webhook.verify(Buffer.concat(parts).toString("utf8"), request.headers);
    const id = request.headers["webhook-id"];
    if (!seen.has(id)) console.log(event.type, event.data.unique_source_identifier);
    seen.add(id); // Store it in a database, together with the work.
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(400).end();
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
