"""Runs scim2-tester against a SCIM server: <base url> <token> <CA file>. Prints one JSON object per result."""

import json
import ssl
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import Error  # noqa: F401  (loads the models)
from scim2_tester import check_server

base, token, ca = sys.argv[1:]
context = ssl.create_default_context(cafile=ca)
http = httpx2.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, verify=context, timeout=60)
for result in check_server(SyncSCIMClient(http)):
    print(json.dumps({"status": result.status.name, "title": result.title, "reason": str(result.reason)}))
