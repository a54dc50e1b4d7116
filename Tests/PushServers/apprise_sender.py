"""Sends one message with apprise, for the tests.

usage: apprise_sender.py URL TITLE BODY [PATH]      URL is one of apprise, PATH that of the server
"""

import sys

import apprise

url, title, body, *path = sys.argv[1:]
service = apprise.Apprise.instantiate(url)
if service is None:
    sys.exit("apprise does not know this service")
if path:
    # In a URL, apprise takes the path of an ntfy server for topics.
    service.host, service.port = f"{service.host}:{service.port}{path[0]}", None
sender = apprise.Apprise()
sender.add(service)
if not sender.notify(title=title, body=body):
    sys.exit("apprise could not send the message")
