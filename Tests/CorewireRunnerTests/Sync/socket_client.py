"""Subscribes through the local endpoint over a WebSocket, in both sub-protocols; ends with 0 if all is as it must be."""

import asyncio
import json
import sys
import urllib.request

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

port, token = sys.argv[1:]
url = f"ws://127.0.0.1:{port}/v1/sync/graphql"


def mutate(title):
    document = "mutation($t: String!) { createTask(input: { title: $t }) { id } }"
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/sync/graphql",
        json.dumps({"query": document, "variables": {"t": title}}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )
    assert "data" in json.load(urllib.request.urlopen(request))


async def receive(ws, *kinds):
    while True:
        message = json.loads(await asyncio.wait_for(ws.recv(), 30))
        if message["type"] in kinds:
            return message


async def subscribe(protocol, start, data):
    async with connect(url, subprotocols=[protocol], origin=f"http://127.0.0.1:{port}") as ws:
        await ws.send(json.dumps({"type": "connection_init", "payload": {"Authorization": f"Bearer {token}"}}))
        await receive(ws, "connection_ack")
        query = "subscription { newTask { title } }"
        await ws.send(json.dumps({"id": "s", "type": start, "payload": {"query": query}}))
        # The server has the subscription once its own connection stands; until then a new task may be missed.
        for number in range(100):
            await asyncio.to_thread(mutate, f"{protocol} {number}")
            try:
                message = await asyncio.wait_for(receive(ws, data), 0.5)
                break
            except TimeoutError:
                continue
        assert message["payload"]["data"]["newTask"]["title"].startswith(protocol), message
        await ws.send(json.dumps({"id": "q", "type": start, "payload": {"query": "{ findTasks { count } }"}}))
        while (await receive(ws, data, "complete"))["id"] != "q":
            pass


async def closed(protocol, *messages):
    async with connect(url, subprotocols=[protocol]) as ws:
        try:
            for message in messages:
                await ws.send(json.dumps(message))
            while True:
                await asyncio.wait_for(ws.recv(), 30)
        except ConnectionClosed as end:
            return end.rcvd.code


async def main():
    await subscribe("graphql-transport-ws", "subscribe", "next")
    await subscribe("graphql-ws", "start", "data")
    current = "graphql-transport-ws"
    wrong = {"type": "connection_init", "payload": {"Authorization": "Bearer wrong"}}
    assert await closed(current, wrong) == 4403
    assert await closed(current, {"type": "connection_init"}) == 4403
    assert await closed(current, {"id": "1", "type": "subscribe", "payload": {"query": "{ a }"}}) == 4401
    try:
        async with connect(url, subprotocols=[current], origin="https://evil.example"):
            raise AssertionError("a page of another origin was let in")
    except InvalidStatus as refusal:
        assert refusal.response.status_code == 403


asyncio.run(main())
