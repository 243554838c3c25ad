import base64, hashlib, hmac, time

def verify(secret, headers, body):
    """Whether the board signed these bytes of the body less than five minutes ago."""
    sent = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expect = "v1," + base64.b64encode(hmac.digest(key, sent, hashlib.sha256)).decode()
    signatures = headers["webhook-signature"].split(" ")
    is_fresh = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    return is_fresh and any(hmac.compare_digest(expect, one) for one in signatures)
