"""A client of the GraphQL server made of others' parts: graphql-core, http.client, websockets."""

import http.client
import json
import sys

from graphql import build_client_schema, get_introspection_query, parse, validate
from websockets.sync.client import connect

PLACE = sys.argv[1]
CREATE = 'mutation($t: String!) { createTask(input: { title: $t }) { id } }'
SUBSCRIBE = 'subscription { newTask(filter: { title: { startsWith: "heard" } }) { title _version } }'


def post(query, variables=None):
    connection = http.client.HTTPConnection(PLACE, timeout=20)
    body = json.dumps({"query": query, "variables": variables or {}})
    connection.request("POST", "/graphql", body, {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    assert "errors" not in answer, answer
    return answer["data"]


def make(title):
    post(CREATE, {"t": "not " + title})
    post(CREATE, {"t": title})


def schema():
    schema = build_client_schema(post(get_introspection_query(one_of=True, input_value_deprecation=True)))
    document = parse(
        """
        query { findTasks(filter: { title: { contains: "a" } }, page: { limit: 2 }, orderBy: { field: "title" }) {
          items { id title ward { name tasks { id } } _version _lastUpdatedAt } offset limit count }
          syncTasks(lastSync: 0, limit: 2) { items { id _deleted } lastSync limit } }
        mutation { createWard(input: { name: "x" }) { id } deleteWard(input: { id: 1 }) { id }
          updateTask(input: { id: 1, _version: 1 }) { id } }
        """.replace("query {", "query A {").replace("mutation {", "mutation B {")
    )
    assert not validate(schema, document), validate(schema, document)
    assert validate(schema, parse("mutation { updateTask(input: { id: 1 }) { id } }"))
    assert "syncWards" not in schema.query_type.fields
    assert schema.get_type("Task").description == "Something to do."


def events():
    connection = http.client.HTTPConnection(PLACE, timeout=20)
    fields = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    connection.request("POST", "/graphql", json.dumps({"query": SUBSCRIBE}), fields)
    response = connection.getresponse()
    assert response.status == 200 and response.getheader("Content-Type") == "text/event-stream", response.status
    make("heard by events")
    assert response.readline() == b"event: next\n"
    data = json.loads(response.readline().removeprefix(b"data: "))
    assert data == {"data": {"newTask": {"title": "heard by events", "_version": 1}}}, data
    connection.close()


def socket(name):
    begin, next_ = ("subscribe", "next") if name == "graphql-transport-ws" else ("start", "data")
    with connect(f"ws://{PLACE}/graphql", subprotocols=[name], open_timeout=20) as socket:
        def receive(timeout=20):
            while True:
                message = json.loads(socket.recv(timeout))
                if message["type"] not in ("ka", "ping"):
                    return message

        def send(**message):
            socket.send(json.dumps(message))

        assert socket.subprotocol == name
        send(type="connection_init")
        assert receive()["type"] == "connection_ack"
        send(id="1", type=begin, payload={"query": SUBSCRIBE})
        send(id="2", type=begin, payload={"query": "{ findWards { count } }"})
        message = receive()
        assert (message["id"], message["type"]) == ("2", next_), message
        assert receive() == {"id": "2", "type": "complete"}
        message = None
        # The subscription may begin after the query has been answered.
        while message is None:
            make("heard by " + name)
            try:
                message = receive(1)
            except TimeoutError:
                pass
        assert message["payload"] == {"data": {"newTask": {"title": "heard by " + name, "_version": 1}}}, message
        send(id="3", type=begin, payload={"query": "{ nothing }"})
        assert receive()["type"] == "error"


schema()
print("schema")
events()
print("events")
for name in ["graphql-transport-ws", "graphql-ws"]:
    socket(name)
    print(name)
