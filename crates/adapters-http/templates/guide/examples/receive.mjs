import { createHmac, timingSafeEqual } from "node:crypto";

// Whether the board signed these bytes of the body less than five minutes ago.
function verify(secret, headers, body) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const hmac = createHmac("sha256", key);
  hmac.update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`).update(body);
  const expect = Buffer.from(`v1,${hmac.digest("base64")}`);
  const isFresh = Math.abs(Date.now() / 1000 - headers["webhook-timestamp"]) < 300;
  const signatures = headers["webhook-signature"].split(" ").map((one) => Buffer.from(one));
  const fits = (one) => one.length === expect.length && timingSafeEqual(one, expect);
  return isFresh && signatures.some(fits);
}
