"""A GraphQL server of tasks, made of graphql-core, that knows idempotency keys and answers as servers do that are not well."""

import asyncio
import glob
import importlib
import json
import os
import sys

from harness.listening import Listening
from harness.verdict import Missing

PACKAGES = f"{os.path.dirname(__file__)}/../../../.build/python/lib/python3*/site-packages"

SDL = """\
type Task { id: ID! title: String! note: String done: Boolean _version: Int }
type Photo { id: ID! taskId: ID! note: String }
type TaskResultList { items: [Task]! count: Int }
type PhotoResultList { items: [Photo]! }
input CreateTaskInput { title: String! note: String done: Boolean }
input MutateTaskInput { id: ID! title: String note: String done: Boolean _version: Int! }
input CreatePhotoInput { taskId: ID! note: String }
type Query { findTasks: TaskResultList! findPhotos: PhotoResultList! }
type Mutation {
  createTask(input: CreateTaskInput!): Task
  updateTask(input: MutateTaskInput!): Task
  deleteTask(input: MutateTaskInput!): Task
  createPhoto(input: CreatePhotoInput!): Photo
}
"""

OPERATIONS = """\
query AllTasks { findTasks { items { id title note done _version } count } }
query AllPhotos { findPhotos { items { id taskId note } } }
mutation CreateTask($input: CreateTaskInput!) { createTask(input: $input) { id title note done _version } }
mutation UpdateTask($input: MutateTaskInput!) { updateTask(input: $input) { id title note done _version } }
mutation DeleteTask($input: MutateTaskInput!) { deleteTask(input: $input) { id } }
mutation CreatePhoto($input: CreatePhotoInput!) { createPhoto(input: $input) { id taskId note } }
"""

# What happens to a mutation: before it is carried out, to its answer, or nothing.
BEFORE = ["reset before", "503 before", "429 before"]
AFTER = ["reset after", "500 after", "cut off", "late", "no GraphQL"]


def graphql_core():
    sys.path += [path for path in glob.glob(PACKAGES) if path not in sys.path]
    try:
        return importlib.import_module("graphql")
    except ImportError as error:
        raise Missing(f"graphql-core is not installed; 'make test-packages' does ({error})") from error


class Conflict(Exception):
    def __init__(self, server, client):
        super().__init__("the task has changed")
        self.extensions = {"code": "CONFLICT", "conflictInfo": {"serverData": dict(server), "clientData": client}}


class TaskServer(Listening):
    """Keeps tasks and photos, and notes each mutation that it carries out."""

    def __init__(self, random, troubles=0.0, late=0.0):
        super().__init__()
        self.core = graphql_core()
        self.schema = self.core.build_schema(SDL)
        self.random, self.troubles, self.late = random, troubles, late
        # Whether every connection breaks off.
        self.is_down = False
        self.tasks, self.photos, self.deleted = {}, {}, {}
        # Of each idempotency key the request and the answer.
        self.known = {}
        # What was carried out, in order: the name of the mutation, its input, and the id of the object.
        self.carried_out = []
        # Requests that no client may send.
        self.wrong = []
        self.repeated = self.conflicts = 0
        self.number = 0

    async def once(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        if self.is_down:
            writer.transport.abort()
            return False
        request = json.loads(body)
        if not request["query"].lstrip().startswith("mutation"):
            return await self.send(writer, 200, self.execute(request))
        trouble = self.random.choice(BEFORE + AFTER) if self.random.random() < self.troubles else None
        if trouble in BEFORE:
            if trouble != "reset before":
                return await self.send(writer, int(trouble[:3]), {"errors": [{"message": trouble}]})
            writer.transport.abort()
            return False
        answer = self.once_for_a_key(fields.get("idempotency-key"), request)
        match trouble:
            case "reset after":
                writer.transport.abort()
                return False
            case "500 after": return await self.send(writer, 500, {"message": "out of order"})
            case "no GraphQL": return await self.send(writer, 200, ["out of order"])
            case "late": await asyncio.sleep(self.late)
            case "cut off":
                data = json.dumps(answer).encode()
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data[: len(data) // 2])
                await writer.drain()
                return False
        return await self.send(writer, 200, answer)

    async def send(self, writer, status, answer):
        data = json.dumps(answer).encode()
        head = f"HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        await writer.drain()
        return True

    # GraphQL

    def once_for_a_key(self, key, request):
        if key is None:
            self.wrong.append(("no key", request))
        if key in self.known:
            self.repeated += 1
            former, answer = self.known[key]
            if former != request:
                self.wrong.append(("another request with the same key", former["variables"], request["variables"]))
            return answer
        answer = self.execute(request)
        # What was refused has changed nothing, and may come again.
        if "errors" not in answer:
            self.known[key] = (request, answer)
        return answer

    def execute(self, request):
        document = self.core.parse(request["query"])
        if errors := self.core.validate(self.schema, document):
            self.wrong.append(("not valid", request, errors))
            return {"errors": [error.formatted for error in errors]}
        root = {name: getattr(self, name) for name in ("findTasks", "findPhotos")}
        root |= {name: getattr(self, name) for name in ("createTask", "updateTask", "deleteTask", "createPhoto")}
        result = self.core.execute_sync(
            self.schema, document, root, None, request.get("variables"), request.get("operationName")
        )
        return result.formatted if result.errors else {"data": result.data}

    def findTasks(self, info):
        return {"items": list(self.tasks.values()), "count": len(self.tasks)}

    def findPhotos(self, info):
        return {"items": list(self.photos.values())}

    def next_id(self, letter):
        self.number += 1
        return f"{letter}{self.number}"

    def createTask(self, info, input):
        id = self.next_id("t")
        self.tasks[id] = {"note": None, "done": None, **input, "id": id, "_version": 1}
        self.carried_out.append(("CreateTask", input, id))
        return self.tasks[id]

    def current(self, input):
        task = self.tasks.get(input["id"])
        if task is None:
            self.wrong.append(("no such task", input))
            raise self.core.GraphQLError(f"there is no task {input['id']}")
        if task["_version"] != input["_version"]:
            self.conflicts += 1
            raise Conflict(task, input)
        return task

    def updateTask(self, info, input):
        task = self.current(input)
        self.tasks[task["id"]] = {**task, **input, "_version": task["_version"] + 1}
        self.carried_out.append(("UpdateTask", input, task["id"]))
        return self.tasks[task["id"]]

    def deleteTask(self, info, input):
        task = self.deleted[input["id"]] = self.current(input)
        del self.tasks[task["id"]]
        self.carried_out.append(("DeleteTask", input, task["id"]))
        return task

    def createPhoto(self, info, input):
        if input["taskId"] not in self.tasks and input["taskId"] not in self.deleted:
            self.wrong.append(("no such task", input))
        id = self.next_id("p")
        self.photos[id] = {"note": None, **input, "id": id}
        self.carried_out.append(("CreatePhoto", input, id))
        return self.photos[id]

    def meddle(self):
        """Changes a task as another client would."""
        if self.tasks:
            task = self.tasks[self.random.choice(list(self.tasks))]
            self.tasks[task["id"]] = {**task, "done": not task["done"], "_version": task["_version"] + 1}
