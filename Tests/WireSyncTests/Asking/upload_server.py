"""A GraphQL server that takes files by the multipart request specification, with ariadne; its port is on the first line."""

import asyncio
import hashlib
import json
import sys

from aiohttp import web
from ariadne import MutationType, QueryType, combine_multipart_data, graphql, make_executable_schema, upload_scalar

mutation = MutationType()


@mutation.field("store")
def store(_, info, files, title):
    return [
        {"name": file.filename, "size": len(data := file.file.read()), "hash": hashlib.sha256(data).hexdigest(), "title": title}
        for file in files
    ]


schema = make_executable_schema(
    """
    scalar Upload
    type Stored { name: String!, size: Int!, hash: String!, title: String }
    type Query { nothing: Int }
    type Mutation { store(files: [Upload!]!, title: String): [Stored!]! }
    """,
    QueryType(),
    mutation,
    upload_scalar,
)


async def answer(request):
    form = await request.post()
    files = {name: value for name, value in form.items() if name not in ("operations", "map")}
    data = combine_multipart_data(json.loads(form["operations"]), json.loads(form["map"]), files)
    _, result = await graphql(schema, data)
    print("length", request.content_length is not None, request.headers.get("Apollo-Require-Preflight"), flush=True)
    return web.json_response(result)


async def main():
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/graphql", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print("ready", site._server.sockets[0].getsockname()[1], flush=True)
    # It ends when the other end is closed.
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())
