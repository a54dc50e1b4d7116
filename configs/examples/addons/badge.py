#!/usr/bin/env python3
"""Signs in whose badge lies on the reader: READER names the file with its number, BADGES the people by number, as JSON."""
import json, os, select, sys

def say(**message):
    print(json.dumps(message), flush=True)

def person():
    try:
        with open(os.environ["READER"]) as reader, open(os.environ["BADGES"]) as badges:
            return json.load(badges).get(reader.read().strip())
    except OSError:
        return None

waiting = []
while True:
    # Somebody who has asked waits until a badge is there; nothing else is held up by that.
    readable, _, _ = select.select([sys.stdin], [], [], 0.2 if waiting else None)
    if readable:
        line = sys.stdin.buffer.raw.readline()
        message = json.loads(line or '{"type": "stop"}')
        if message["type"] == "hello":
            say(type="ready", protocol=1, answers=["auth.signIn"], version="1.0")
        elif message["type"] == "ask":
            if message["flow"] != "addon" or message["unattended"] and not person():
                say(type="answer", id=message["id"])
            else:
                waiting.append(message["id"])
        elif message["type"] == "withdraw":
            waiting = [id for id in waiting if id != message["id"]]
        elif message["type"] == "stop":
            break
    if waiting and (found := person()):
        for id in waiting:
            say(type="answer", id=id, username=found["name"], password=found["password"])
        waiting = []
